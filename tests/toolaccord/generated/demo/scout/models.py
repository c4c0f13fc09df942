"""Requests and results of scout-agent.

Generated from tests/toolaccord/contracts/demo/scout.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from toolaccord.contract_model import ContractModel


class ScoutRequest(ContractModel):
    """Request to scout-agent."""

    book: str
    """Number of the book"""


class Finding(ContractModel):
    """A book that was found."""

    book: str
    """Number of the book"""
    kind: Literal["NOVEL", "UNKNOWN"]
    """Kind of the book"""
    title: str | None = None
    """Title of the book"""
    confidence: float | int
    """Confidence as a fraction"""
    is_vague: bool | None = None
    """True if data was missing"""


class VagueFinding(ContractModel):
    """A finding from incomplete data."""

    finding: Finding
    missing_data: Annotated[list[Literal["title", "shelf"]], Field(max_length=2)]
    """The missing data"""
    confidence_penalty: float | int
    """Reduction of the confidence, as a fraction"""


class Loss(ContractModel):
    """A book without a finding."""

    book: Annotated[str, Field(max_length=20)]
    """The number as it was given"""
    error: Annotated[str, Field(max_length=200)]
    """The reason"""
    error_type: Annotated[str, Field(max_length=40)]
    """Code or class of the error"""
    retries_attempted: Annotated[int, Field(ge=0)]
    """Number of retries"""


class Search(ContractModel):
    """The outcome of a search for several books."""

    successful: Annotated[list[Finding], Field(max_length=3)]
    """Findings"""
    partial: Annotated[list[VagueFinding], Field(max_length=3)]
    """Vague ones"""
    duplicate: Annotated[list[Finding], Field(max_length=3)]
    """Known ones"""
    deferred: Annotated[list[Finding], Field(max_length=3)]
    """Sent later"""
    failed: Annotated[list[Loss], Field(max_length=3)]
    """Losses"""
    success_rate: float | int
    """Share of findings, as a fraction"""
