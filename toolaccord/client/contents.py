"""Responses with content, as one text that caches store, and as records."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from pydantic_core import from_json

from toolaccord.client.connection import ToolResponse
from toolaccord.client.declarations import ContentTool
from toolaccord.client.envelopes import parse_envelope, parse_result
from toolaccord.content import Content, Message, WithContent
from toolaccord.content.blocks import from_block
from toolaccord.contract.dialects import Dialect
from toolaccord.errors import BrokenAnswer
from toolaccord.json_values import JsonObject, encode_json


async def send_for_content(
    tool: ContentTool[Any, Any], send: Callable[[float], Awaitable[ToolResponse]], timeout_s: float
) -> ToolResponse:
    """Return the response of *tool*, with envelope and content as its text.

    Raises what *send* raises.
    """
    return join_content(tool, await send(timeout_s))


def join_content(tool: ContentTool[Any, Any], response: ToolResponse) -> ToolResponse:
    """Return a response with envelope and content as its text; that to a failed call as it is."""
    if response.is_error:
        return response
    content = [block.model_dump(mode="json", by_alias=True, exclude_none=True) for block in response.blocks]
    members: JsonObject = {"content": content}
    if tool.model is not None:
        members = {"envelope": response.text, "content": content[1:]}  # the first block is the envelope
    return replace(response, text=encode_json(members).decode(), blocks=())


def parse_content(
    tool: ContentTool[Any, Any], dialect: Dialect, sender: str, response: ToolResponse
) -> tuple[Any, JsonObject]:
    """Return the result with content in *response*, and the values of its envelope.

    Raises BrokenAnswer. Content of kinds that this client does not know is left out. The other parameters are those of
    `parse_envelope`.
    """
    members: JsonObject = from_json(response.text)
    content = _read_content(sender, members["content"])
    if tool.model is None:
        return content, {}
    values = parse_envelope(dialect, sender, replace(response, text=members["envelope"]))
    return WithContent(parse_result(tool.model, sender, values["result"]), content), values


def parse_messages(sender: str, text: str) -> tuple[Message, ...]:
    """Return the messages of a prompt. Raises BrokenAnswer.

    Those with content of kinds that this client does not know are left out.
    """
    try:
        messages = [(each["role"], from_block(each["content"])) for each in from_json(text)["messages"]]
    except (KeyError, TypeError, ValueError) as error:
        raise BrokenAnswer(f"{sender} with invalid messages: {error!r}") from error
    return tuple(Message(role, content) for role, content in messages if content is not None)


def _read_content(sender: str, blocks: list[JsonObject]) -> tuple[Content, ...]:
    try:
        return tuple(content for block in blocks if (content := from_block(block)) is not None)
    except (KeyError, TypeError, ValueError) as error:
        raise BrokenAnswer(f"{sender} with invalid content: {error!r}") from error
