"""Tools of an agent's servers, as its model may call them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import orjson
from pydantic import BaseModel
from pydantic_ai import RunContext, Tool
from pydantic_ai.exceptions import ToolFailed

from toolaccord.agent.call import Arguments, ModelToolCall
from toolaccord.agent.declarations import ToolUse, Use
from toolaccord.client.base import ServerClient
from toolaccord.errors import CallFailed, ToolError


@dataclass(frozen=True, slots=True)
class ModelRun:
    """The run of a model for one text."""

    only: Arguments
    """Values that arguments of its calls may have."""
    calls: list[ModelToolCall] = field(default_factory=list)
    """Its calls that succeeded."""


ModelTool: TypeAlias = Tool[ModelRun]
"""A tool of a run, which is its `deps`."""
MAX_RESULT_LENGTH = 16_000
"""Largest number of characters of a result, some 5,000 tokens."""


def build_tools(uses: Iterable[Use], clients: Mapping[str, ServerClient]) -> Iterator[ModelTool]:
    """Yield the tools of *uses* that only read, because nobody confirms what a model writes."""
    taken: set[str] = set()
    for use in uses:
        for each in use.tools:
            if each.tool.writes:
                continue
            name = re.sub(r"[^A-Za-z0-9_-]", "_", each.tool.name)  # what OpenAI admits
            name = f"{use.name}_{name}" if name in taken else name
            taken.add(name)
            yield _build_tool(name, each, clients[use.name])


def _build_tool(name: str, use: ToolUse, client: ServerClient) -> ModelTool:
    tool = use.tool

    async def call(context: RunContext[ModelRun], /, **arguments: Any) -> str:
        request = tool.request.model_validate(arguments)  # the library explains a ValidationError to the model
        _check_arguments(request, context.deps.only)
        try:
            result = (await client.call(tool, request)).result.model_dump(mode="json", by_alias=True, exclude_none=True)
        except (ToolError, CallFailed) as error:
            raise ToolFailed(str(error)) from error
        text = orjson.dumps(result).decode()
        if len(text) > MAX_RESULT_LENGTH:
            raise ToolFailed(f"The result has {len(text)} characters, more than {MAX_RESULT_LENGTH}; ask for less.")
        context.deps.calls.append(ModelToolCall(tool=tool.name, arguments=arguments, result=result))
        return text

    return Tool.from_schema(call, name, use.description, tool.request.model_json_schema(), takes_ctx=True)


def _check_arguments(request: BaseModel, only: Arguments) -> None:
    """Raise ToolFailed, for the model, if an argument has a value outside of *only*."""
    for name, values in only.items():
        if name in type(request).model_fields and getattr(request, name) not in values:
            raise ToolFailed(f"Only {', '.join(map(str, values))} may be the {name} of a call for this request.")
