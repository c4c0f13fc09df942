"""Requests and results of counter-mcp.

Generated from tests/toolaccord/contracts/demo/counter.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from toolaccord.contract_model import ContractModel


class CountRequest(ContractModel):
    """Arguments of count."""

    to: Annotated[int, Field(ge=1, le=100)]
    """The last number"""


class CountResult(ContractModel):
    """Result of count."""

    to: Annotated[int, Field(ge=1, le=100)]
    """The last number"""


class CountSilentlyRequest(ContractModel):
    """Arguments of count_silently."""

    to: Annotated[int, Field(ge=1, le=100)]
    """The last number"""


class CountSilentlyResult(ContractModel):
    """Result of count_silently."""

    to: Annotated[int, Field(ge=1, le=100)]
    """The last number"""
