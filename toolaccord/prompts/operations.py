"""Operations that write the messages of prompts and complete their arguments."""

from __future__ import annotations

import base64
import re
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any

import orjson
from pydantic import BaseModel

from toolaccord.content import Content, EmbeddedResource, Image, Message, Text
from toolaccord.content.blocks import to_block
from toolaccord.declarations.operation import AnyOperation, Operation
from toolaccord.declarations.prompts import ImageMessage, Prompt, ResourceMessage, TextMessage
from toolaccord.declarations.resources import Resource
from toolaccord.declarations.tool import Server
from toolaccord.json_values import JsonObject
from toolaccord.resources.operations import NO_ARGUMENTS, NoArguments, complete_members
from toolaccord.resources.static_content import read_static

_PLACEHOLDER = re.compile(r"\{([a-z][A-Za-z0-9_]*)\}")
_ROLES = ("user", "assistant")

_MESSAGES: JsonObject = {
    "type": "object",
    "properties": {
        "messages": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"role": {"type": "string"}, "content": {"type": "object"}},
                "required": ["role", "content"],
            },
        }
    },
    "required": ["messages"],
}

_Resources = Mapping[str, Resource[Any]]


class _Messages(BaseModel):
    """Messages as MCP sends them."""

    messages: list[JsonObject]


def list_operations(server: Server[Any]) -> tuple[AnyOperation, ...]:
    """Return all operations of the prompts of *server*."""
    completions = (each for prompt in server.prompts for each in argument_operations(prompt).values())
    return (*get_operations(server).values(), *completions)


def get_operations(server: Server[Any]) -> dict[str, AnyOperation]:
    """Return the operations that write the messages of the prompts of *server*, by prompt.

    The result of each is `{"messages": [...]}`, as MCP sends it.
    """
    resources = {resource.name: resource for resource in server.resources}
    return {prompt.name: _get_operation(prompt, resources) for prompt in server.prompts}


def template_operations(server: Server[Any]) -> dict[str, AnyOperation]:
    """Return the operations that write prompts around placeholders, by prompt.

    They take no arguments. The prompts are those whose messages the contract has, and which have arguments.
    """
    resources = {resource.name: resource for resource in server.resources}
    written = (prompt for prompt in server.prompts if prompt.handler is None and list_placeholders(prompt))
    return {prompt.name: _template_operation(prompt, resources) for prompt in written}


def list_placeholders(prompt: Prompt[Any]) -> dict[str, str]:
    """Return the arguments by which OpenCode requests a template: `$1`, `$2` and so on.

    It requests a prompt once, and replaces these in the messages by the words that a person types.
    """
    return {name: f"${place}" for place, name in enumerate(prompt.parameters.get("properties", {}), 1)}


def argument_operations(prompt: Prompt[Any]) -> dict[str, AnyOperation]:
    """Return the operations that complete the arguments of *prompt*, by argument."""
    return complete_members(prompt.name, prompt.completions, prompt.timeout_ms, prompt.errors)


def _get_operation(prompt: Prompt[Any], resources: _Resources) -> AnyOperation:
    return Operation(
        name=f"prompts/get {prompt.name}",
        request=prompt.request,
        parameters=prompt.parameters,
        returns=_MESSAGES,
        handler=_written_handler(prompt, resources)
        if prompt.handler is None
        else _message_handler(prompt, prompt.handler),
        timeout_ms=prompt.timeout_ms,
        reads=prompt.reads,
        errors=prompt.errors,
        rate_limit=prompt.rate_limit,
        asks=prompt.asks,
    )


def _template_operation(prompt: Prompt[Any], resources: _Resources) -> AnyOperation:
    """Return the operation that writes a *prompt* with defaults and placeholders."""
    members = prompt.parameters["properties"]
    values = {name: members[name].get("default", each) for name, each in list_placeholders(prompt).items()}

    async def write(_request: BaseModel, _call: Any) -> _Messages:
        return _write_messages(prompt, values, resources)

    return Operation(
        name=f"prompts/get {prompt.name}",
        request=NoArguments,
        parameters=NO_ARGUMENTS,
        returns=_MESSAGES,
        handler=write,
        timeout_ms=prompt.timeout_ms,
        rate_limit=prompt.rate_limit,
    )


def _written_handler(prompt: Prompt[Any], resources: _Resources) -> Callable[[Any, Any], Awaitable[_Messages]]:
    """Return the handler of a *prompt* whose messages the contract has."""

    async def write(request: BaseModel, _call: Any) -> _Messages:
        return _write_messages(prompt, request.model_dump(mode="json", by_alias=True), resources)

    return write


def _write_messages(prompt: Prompt[Any], values: JsonObject, resources: _Resources) -> _Messages:
    """Return the messages of a *prompt* with the *values* of its arguments."""
    messages = [Message(each.role, _content(each, values, resources)) for each in prompt.messages]
    return _Messages(messages=[*map(_to_json, messages)])


def _content(
    message: TextMessage | ImageMessage | ResourceMessage, values: JsonObject, resources: _Resources
) -> Content:
    """Return the content of a *message* with the *values* of arguments.

    Raises OSError for a missing copy.
    """
    if isinstance(message, TextMessage):
        return Text(_PLACEHOLDER.sub(partial(_value_text, values), message.text))
    if isinstance(message, ImageMessage):
        return Image(base64.b64decode(read_static(message.file)), message.mime_type)
    return _embed(resources[message.resource])


def _value_text(values: JsonObject, found: re.Match[str]) -> str:
    """Return the value of an argument as a text."""
    value = values[found[1]]
    return value if isinstance(value, str) else orjson.dumps(value).decode()


def _embed(resource: Resource[Any]) -> EmbeddedResource:
    """Return a static *resource* with its content.

    Raises TypeError for another one, which the compiler rejects.
    """
    if isinstance(resource.content, Operation) or resource.uri is None:
        raise TypeError(f"{resource.name} is no static resource")
    text = read_static(resource.content)
    content = base64.b64decode(text) if resource.kind == "binary" else text
    return EmbeddedResource(resource.uri, content, resource.mime_type)


def _message_handler(
    prompt: Prompt[Any], handler: Callable[[Any, Any], Awaitable[Any]]
) -> Callable[[Any, Any], Awaitable[_Messages]]:
    """Return the *handler* of a prompt, whose messages become those of MCP.

    It raises TypeError for another result, and InvalidContentError.
    """

    async def write(request: BaseModel, call: Any) -> _Messages:
        found = await handler(request, call)
        if not all(isinstance(each, Message) for each in found):
            raise TypeError(
                f"the handler of the prompt {prompt.name} must return records Message of toolaccord.content"
            )
        return _Messages(messages=[*map(_to_json, found)])

    return write


def _to_json(message: Message) -> JsonObject:
    """Return *message* as MCP sends it. Raises TypeError and InvalidContentError."""
    if message.role not in _ROLES:
        raise TypeError(f"the role of a message is one of {', '.join(_ROLES)}, not {message.role!r}")
    return {"role": message.role, "content": to_block(message.content)}
