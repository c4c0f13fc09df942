"""Requests and results of library-mcp.

Generated from tests/toolaccord/contracts/demo/library.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field


class ListBooksRequest(BaseModel):
    """Arguments of list_books."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    shelf: str
    """Name of the shelf"""
    limit: Annotated[int, Field(ge=1, le=100)] = 2
    """Number of books"""
    offset: Annotated[int, Field(ge=0, le=1000000)] = 0
    """Number of books to skip"""
    fresh: bool = False
    """Bypass the cache"""


class Book(BaseModel):
    """A book."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    id: int
    """Number of the book"""
    title: str
    """Title of the book"""
    note: str | None = None
    """Remark on the book"""


class ListBooksResultPagination(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    offset: int
    limit: int
    total: int
    has_more: bool


class GetBookRequest(BaseModel):
    """Arguments of get_book."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    id: Annotated[int, Field(ge=1)]
    """Number of the book"""
    reason: Annotated[str | None, Field(max_length=20)] = None
    """Reason for reading it"""


class GetBookResult(BaseModel):
    """A book."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    id: int
    """Number of the book"""
    title: str
    """Title of the book"""
    note: str | None = None
    """Remark on the book"""


class ListLoansRequest(BaseModel):
    """Arguments of list_loans."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    since: AwareDatetime | None = None
    """Start of the period"""
    until: AwareDatetime | None = None
    """End of the period"""


class ListLoansResult(BaseModel):
    """Result of list_loans."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    since: str | None = None
    """Start of the period"""
    ratio: float | int | None = None
    """Share of loaned books"""


class MisbehaveRequest(BaseModel):
    """Arguments of misbehave."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    how: Literal[
        "crash", "undeclared", "source", "wait", "block", "print", "break", "stranger", "nan", "cancel", "gate"
    ]
    """The misbehaviour"""


class MisbehaveResult(BaseModel):
    """Result of misbehave."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    done: int
    """Always 1"""
    ratio: float | int | None
    """A number that may be null"""


class ListBooksResult(BaseModel):
    """Result of list_books."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    items: list[Book]
    pagination: ListBooksResultPagination
