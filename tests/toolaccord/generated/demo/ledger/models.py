"""Requests and results of ledger-mcp.

Generated from tests/toolaccord/contracts/demo/ledger.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from toolaccord.contract_model import ContractModel


class EnterRequest(ContractModel):
    """Arguments of enter."""

    text: Annotated[str, Field(max_length=100)]
    """Text of the entry"""
    amount: float | int = 1.0
    """Amount of the entry"""


class EnterResult(ContractModel):
    """Result of enter."""

    number: int
    """Number of the entry"""
    text: str
    """Text of the entry"""
    amount: float | int
    """Amount of the entry"""


class CorrectRequest(ContractModel):
    """Arguments of correct."""

    text: Annotated[str, Field(max_length=100)]
    """Text of the entry"""
    amount: float | int = 1.0
    """Amount of the entry"""


class CorrectResult(ContractModel):
    """Result of correct."""

    number: int
    """Number of the entry"""
    text: str
    """Text of the entry"""
    amount: float | int
    """Amount of the entry"""


class CountEntriesRequest(ContractModel):
    """Arguments of count_entries."""


class CountEntriesResult(ContractModel):
    """Result of count_entries."""

    count: int
    """Number of entries"""
