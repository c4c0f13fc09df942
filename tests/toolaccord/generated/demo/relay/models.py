"""Requests and results of relay-mcp.

Generated from tests/toolaccord/contracts/demo/relay.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from toolaccord.contract_model import ContractModel


class EchoRequest(ContractModel):
    """Arguments of echo."""

    text: Annotated[str, Field(max_length=1000000)]
    """Text to say"""


class EchoResult(ContractModel):
    """Result of echo."""

    text: str
    """The same text"""
    station: str
    """Name of the station"""


class SignalHoldRequest(ContractModel):
    """Arguments of signal.hold."""

    signal: Annotated[str, Field(max_length=20)]
    """Name of the signal"""


class SignalHoldResult(ContractModel):
    """Result of signal.hold."""

    signal: str
    """Name of the signal"""


class SignalReleaseRequest(ContractModel):
    """Arguments of signal.release."""

    signal: Annotated[str, Field(max_length=20)]
    """Name of the signal"""


class SignalReleaseResult(ContractModel):
    """Result of signal.release."""

    signal: str
    """Name of the signal"""


class StallRequest(ContractModel):
    """Arguments of stall."""


class StallResult(ContractModel):
    """Result of stall."""


class FailRequest(ContractModel):
    """Arguments of fail."""

    by: Literal["declared", "source", "crash"]
    """Kind of the failure"""
    text: Annotated[str, Field(max_length=100)]
    """Text of the failure"""


class FailResult(ContractModel):
    """Result of fail."""


class TradeSubmitRequest(ContractModel):
    """Arguments of trade.submit."""

    model_config = ConfigDict(extra="allow")


class TradeSubmitResult(ContractModel):
    """Result of trade.submit."""


class PromptSpellRequest(ContractModel):
    """Arguments of the prompt spell."""

    word: Literal["bad", "cab"]
    """The word"""
