"""Requests and results of mail-mcp.

Generated from tests/toolaccord/contracts/demo/mail.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from toolaccord.contract_model import ContractModel


class SendRequest(ContractModel):
    """Arguments of send."""

    text: Annotated[str, Field(max_length=100)]
    """Text of the letter"""
    weight: float | int = 1.0
    """Weight of the letter"""


class SendResult(ContractModel):
    """Result of send."""

    letter: str
    """Identifier of the letter"""
    weight: float | int
    """Weight of the letter"""


class PostRequest(ContractModel):
    """Arguments of post."""

    text: Annotated[str, Field(max_length=100)]
    """Text of the letter"""


class PostResult(ContractModel):
    """Result of post."""

    letter: str
    """Identifier of the letter"""


class RemindRequest(ContractModel):
    """Arguments of remind."""


class RemindResult(ContractModel):
    """Result of remind."""

    letter: str
    """Identifier of the letter"""
