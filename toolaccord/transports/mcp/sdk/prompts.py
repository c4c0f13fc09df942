"""Prompts on the MCP SDK's server, in both eras of the protocol."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import mcp_types as types
from mcp.server.lowlevel import Server as McpServer
from mcp.shared.exceptions import MCPError

from toolaccord.call.pipeline import Pipeline
from toolaccord.call.response import Answer
from toolaccord.declarations.prompts import Prompt
from toolaccord.json_values import JsonObject
from toolaccord.prompts.operations import get_operations, list_placeholders, template_operations
from toolaccord.schema.string_values import parse_strings
from toolaccord.transports.mcp.sdk.calls import Context, run_operation, to_exception, to_question

if TYPE_CHECKING:  # a server without asks does not load it
    from toolaccord.transports.mcp.sdk.asking import AskChannels

_OPENCODE = "opencode"
"""Name of the client that requests templates."""


def add_prompts(mcp_server: McpServer[Any], pipeline: Pipeline, channels: AskChannels | None) -> None:
    """Serve the prompts of *pipeline*'s server by *mcp_server*.

    *channels* reach callers that can be asked.
    """
    served = _Prompts(pipeline, channels)
    mcp_server.add_request_handler("prompts/get", types.GetPromptRequestParams, served.get)


class _Prompts:
    """The prompts of one server."""

    def __init__(self, pipeline: Pipeline, channels: AskChannels | None) -> None:
        self._pipeline, self._channels = pipeline, channels
        server = pipeline.server
        self._operations = {name: pipeline.bind(each) for name, each in get_operations(server).items()}
        self._templates = {name: pipeline.bind(each) for name, each in template_operations(server).items()}
        self._prompts = {prompt.name: prompt for prompt in server.prompts}

    async def get(self, context: Context, params: types.GetPromptRequestParams) -> JsonObject:
        """Return the messages of a prompt, or its questions to the caller. Raises MCPError."""
        prompt = self._prompts.get(params.name)
        if prompt is None:
            raise MCPError(types.INVALID_PARAMS, "This server has no such prompt.", {"name": params.name})
        answer = await self._answer(context, params, prompt)
        if answer.is_question or answer.missing_capability:
            return to_question(answer)
        if answer.is_error:
            raise to_exception(self._pipeline.server.dialect, answer)
        meta = {"corr_id": answer.corr_id}
        return {"resultType": "complete", "description": prompt.description, **answer.body, "_meta": meta}

    async def _answer(self, context: Context, params: types.GetPromptRequestParams, prompt: Prompt[Any]) -> Answer:
        """Return the messages of *prompt*, or those around the placeholders of OpenCode."""
        is_template = prompt.name in self._templates and params.arguments == list_placeholders(prompt)
        if is_template and _may_be_opencode(context):
            return await run_operation(self._pipeline, context, self._templates[prompt.name], {})
        arguments = parse_strings(prompt.parameters, params.arguments or {})
        connect = None if self._channels is None else partial(self._channels.connect, context, params)
        return await run_operation(self._pipeline, context, self._operations[prompt.name], arguments, connect)


def _may_be_opencode(context: Context) -> bool:
    """Return whether the client is OpenCode, or has no name, as over HTTP without sessions."""
    client = context.session.client_params
    return client is None or client.client_info.name == _OPENCODE
