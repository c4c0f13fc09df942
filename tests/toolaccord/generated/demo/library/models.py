"""Requests and results of library-mcp.

Generated from tests/toolaccord/contracts/demo/library.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AwareDatetime, Field

from toolaccord.contract_model import ContractModel


class ListBooksRequest(ContractModel):
    """Arguments of list_books."""

    shelf: str
    """Name of the shelf"""
    limit: Annotated[int, Field(ge=1, le=100)] = 2
    """Number of books"""
    offset: Annotated[int, Field(ge=0, le=1000000)] = 0
    """Number of books to skip"""
    fresh: bool = False
    """Bypass the cache"""


class Book(ContractModel):
    """A book."""

    id: int
    """Number of the book"""
    title: str
    """Title of the book"""
    note: str | None = None
    """Remark on the book"""


class ListBooksResultPagination(ContractModel):
    offset: int
    limit: int
    total: int
    has_more: bool


class GetBookRequest(ContractModel):
    """Arguments of get_book."""

    id: Annotated[int, Field(ge=1)]
    """Number of the book"""
    reason: Annotated[str | None, Field(max_length=20)] = None
    """Reason for reading it"""


class GetBookResult(ContractModel):
    """A book."""

    id: int
    """Number of the book"""
    title: str
    """Title of the book"""
    note: str | None = None
    """Remark on the book"""


class ListLoansRequest(ContractModel):
    """Arguments of list_loans."""

    since: AwareDatetime | None = None
    """Start of the period"""
    until: AwareDatetime | None = None
    """End of the period"""


class ListLoansResult(ContractModel):
    """Result of list_loans."""

    since: str | None = None
    """Start of the period"""
    ratio: float | int | None = None
    """Share of loaned books"""


class MisbehaveRequest(ContractModel):
    """Arguments of misbehave."""

    how: Literal[
        "crash", "undeclared", "source", "wait", "block", "print", "break", "stranger", "nan", "cancel", "gate"
    ]
    """The misbehaviour"""


class MisbehaveResult(ContractModel):
    """Result of misbehave."""

    done: int
    """Always 1"""
    ratio: float | int | None
    """A number that may be null"""


class ListBooksResult(ContractModel):
    """Result of list_books."""

    items: list[Book]
    pagination: ListBooksResultPagination
