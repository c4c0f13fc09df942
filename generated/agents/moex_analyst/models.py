"""Requests and results of moex-analyst.

Generated from contracts/agents/moex_analyst.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field

from toolaccord.contract_model import ContractModel


class Message(ContractModel):
    """A message."""

    role: Literal["system", "user", "assistant"]
    """Its author"""
    content: Annotated[str, Field(max_length=20000)]
    """Its text"""


class Metadata(ContractModel):
    """Facts about the user."""

    model_config = ConfigDict(extra="allow")
    locale: Annotated[str | None, Field(max_length=35)] = None
    """Language of the answer, ru if absent"""
    user_role: Annotated[str | None, Field(max_length=100)] = None
    """Role of the user, which chooses the depth"""


class Table(ContractModel):
    """A table."""

    title: str | None = None
    """Its title"""
    columns: Annotated[list[str], Field(max_length=50)]
    """Names of its columns"""
    rows: Annotated[list[list[Any]], Field(max_length=1000)]
    """Its rows"""


class ToolCall(ContractModel):
    """A call of a tool."""

    model_config = ConfigDict(extra="allow")
    tool: str
    """Name of the tool"""
    args: dict[str, Any]
    """Its arguments"""


class AnalystInput(ContractModel):
    """Messages and what is known of the user."""

    model_config = ConfigDict(extra="allow")
    messages: Annotated[list[Message], Field(max_length=100, min_length=1)]
    """The conversation, oldest first"""
    metadata: Metadata | None = None


class AnalystOutputDebug(ContractModel):
    """The plan and the calls."""

    model_config = ConfigDict(extra="allow")
    plan: Annotated[list[str] | None, Field(max_length=5)] = None
    """Steps of the plan"""
    tool_calls: Annotated[list[ToolCall] | None, Field(max_length=20)] = None
    """Calls in their order"""


class AnalystRequest(ContractModel):
    """A conversation that ends with a question."""

    input: AnalystInput


class AnalystOutput(ContractModel):
    """Text, tables and the way to them."""

    text: str
    """The answer in sentences, in Russian unless the locale is English."""
    tables: Annotated[list[Table] | None, Field(max_length=20)] = None
    """Tables of the answer"""
    debug: AnalystOutputDebug | None = None
    """The plan and the calls."""


class AnalystResponse(ContractModel):
    """An answer."""

    output: AnalystOutput
