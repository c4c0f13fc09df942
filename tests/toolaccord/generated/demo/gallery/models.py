"""Requests and results of gallery-mcp.

Generated from tests/toolaccord/contracts/demo/gallery.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from toolaccord.contract_model import ContractModel


class DrawRequest(ContractModel):
    """Arguments of draw."""

    size: Annotated[int, Field(ge=1, le=10000000)]
    """Bytes of the picture"""
    kind: Literal["image/png", "image/gif"] = "image/png"
    """Media type"""


class ExplainRequest(ContractModel):
    """Arguments of explain."""

    broken: bool = False
    """Leaves the content out"""


class ExplainResult(ContractModel):
    """Result of explain."""

    title: Annotated[str, Field(max_length=100)]
    """Title of the picture"""


class TellRequest(ContractModel):
    """Arguments of tell."""
