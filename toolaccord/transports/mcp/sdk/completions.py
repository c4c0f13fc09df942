"""Completions on the MCP SDK's server, in both eras of the protocol."""

from __future__ import annotations

from typing import Any

import mcp_types as types
from mcp.server.lowlevel import Server as McpServer
from mcp.shared.exceptions import MCPError

from toolaccord.call.pipeline import Pipeline
from toolaccord.json_values import JsonObject
from toolaccord.prompts.operations import argument_operations
from toolaccord.resources.operations import completion_operations
from toolaccord.transports.mcp.sdk.calls import Context, run_operation, to_exception


def add_completions(mcp_server: McpServer[Any], pipeline: Pipeline) -> None:
    """Serve the completions of *pipeline*'s server by *mcp_server*."""
    served = _Completions(pipeline)
    mcp_server.add_request_handler("completion/complete", types.CompleteRequestParams, served.complete)


class _Completions:
    """The completions of one server."""

    def __init__(self, pipeline: Pipeline) -> None:
        server = pipeline.server
        completions = {
            ("ref/resource", each.uri_template): completion_operations(each)
            for each in server.resources
            if each.uri_template
        } | {("ref/prompt", each.name): argument_operations(each) for each in server.prompts}
        self._pipeline = pipeline
        self._operations = {
            reference: {member: pipeline.bind(operation) for member, operation in of_one.items()}
            for reference, of_one in completions.items()
        }
        """The operation of each completed value, by the type and the address of its owner."""

    async def complete(self, context: Context, params: types.CompleteRequestParams) -> JsonObject:
        """Return the values that a text can become. Raises MCPError.

        A value without completion has none.
        """
        reference = params.ref
        address = reference.name if isinstance(reference, types.PromptReference) else reference.uri
        owner = self._operations.get((reference.type, address))
        if owner is None:
            raise MCPError(types.INVALID_PARAMS, f"This server has no such {reference.type.removeprefix('ref/')}.")
        if params.argument.name not in owner:
            return {"resultType": "complete", "completion": {"values": [], "total": 0, "hasMore": False}}
        answer = await run_operation(
            self._pipeline, context, owner[params.argument.name], {"prefix": params.argument.value}
        )
        if answer.is_error:
            raise to_exception(self._pipeline.server.dialect, answer)
        meta = {"corr_id": answer.corr_id}
        return {"resultType": "complete", "completion": answer.body, "_meta": meta}
