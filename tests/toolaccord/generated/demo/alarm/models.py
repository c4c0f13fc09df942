"""Requests and results of alarm-mcp.

Generated from tests/toolaccord/contracts/demo/alarm.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AwareDatetime, Field

from toolaccord.contract_model import ContractModel


class RaiseAlarmRequest(ContractModel):
    """Arguments of raise_alarm."""

    place: Annotated[str, Field(max_length=100)]
    """Name of the place"""


class RaiseAlarmResult(ContractModel):
    """Result of raise_alarm."""

    raised: bool


class Fire(ContractModel):
    """Something burns."""

    place: Annotated[str, Field(max_length=20)]
    """Name of the place"""
    since: AwareDatetime | None = None
    """Start of the fire"""
    level: Annotated[int | None, Field(ge=1, le=3)] = None
    """Size of the fire"""


class Siren(ContractModel):
    """A siren howls, for listeners in Lisp."""

    action: Literal["HOWL"]
    tone: Literal["rising", "steady"] | None = None
    """Tone of the siren"""
    place: Annotated[str, Field(max_length=100)]
    """Name of the place"""
    seconds: Annotated[list[float | int] | None, Field(max_length=1)] = None
    """Duration"""
