"""Requests and results of gate-mcp.

Generated from tests/toolaccord/contracts/demo/gate.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from toolaccord.contract_model import ContractModel


class KnockRequest(ContractModel):
    """Arguments of knock."""

    name: Annotated[str, Field(max_length=20)]
    """Name of the visitor"""


class KnockResult(ContractModel):
    """Result of knock."""

    greeting: str
    """Greeting"""


class RingRequest(ContractModel):
    """Arguments of ring."""

    name: Annotated[str, Field(max_length=20)]
    """Name of the visitor"""


class RingResult(ContractModel):
    """Result of ring."""

    greeting: str
    """Greeting"""


class WaveRequest(ContractModel):
    """Arguments of wave."""

    name: Annotated[str, Field(max_length=20)]
    """Name of the visitor"""


class WaveResult(ContractModel):
    """Result of wave."""

    greeting: str
    """Greeting"""
