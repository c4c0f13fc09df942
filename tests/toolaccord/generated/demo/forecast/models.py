"""Requests and results of forecast-mcp.

Generated from tests/toolaccord/contracts/demo/forecast.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from toolaccord.contract_model import ContractModel


class ForecastRequest(ContractModel):
    """Arguments of forecast."""

    place: Annotated[str, Field(max_length=40)]
    """Name of the place"""
    fresh: bool = False
    """Bypass the cache"""


class ForecastResult(ContractModel):
    """Result of forecast."""

    load: int
    """Number of the load, over all replicas"""
    text: str
    """Weather in words"""
