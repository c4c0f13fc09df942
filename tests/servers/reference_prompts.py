"""Serve the prompts and completions of a pipeline by the MCP SDK and its models alone.

No code of toolaccord's transports takes part.
"""

from typing import Any

import mcp_types as types
from mcp.server.lowlevel import Server as McpServer
from mcp.shared.exceptions import MCPError

from tests.servers.reference_resources import parse_integers, reject_cursor, run_operation, to_failure
from toolaccord.call.pipeline import Pipeline
from toolaccord.prompts.operations import argument_operations, get_operations
from toolaccord.resources.operations import completion_operations

LIST = "prompts/list"


def add_prompts(server: McpServer[Any], pipeline: Pipeline) -> None:
    """Add the prompts of *pipeline*'s server, and the completions of prompts and resources."""
    served = _Prompts(pipeline)
    if pipeline.server.prompts:
        server.cache_hints = {**server.cache_hints, LIST: server.cache_hints["tools/list"]}
        server.add_request_handler(LIST, types.PaginatedRequestParams, served.list)
        server.add_request_handler("prompts/get", types.GetPromptRequestParams, served.get)
    owners: tuple[Any, ...] = (*pipeline.server.prompts, *pipeline.server.resources)
    if any(each.completions for each in owners):
        server.add_request_handler("completion/complete", types.CompleteRequestParams, served.complete)


class _Prompts:
    def __init__(self, pipeline: Pipeline) -> None:
        self._pipeline = pipeline
        self._prompts = {each.name: each for each in pipeline.server.prompts}
        self._resources = {each.uri_template: each for each in pipeline.server.resources}

    async def list(self, _context: Any, params: types.PaginatedRequestParams) -> types.ListPromptsResult:
        reject_cursor(params, "prompts")
        prompts = [
            types.Prompt(
                name=each.name,
                title=each.title,
                description=each.description,
                arguments=[
                    types.PromptArgument(
                        name=name,
                        title=member.get("title"),
                        description=member.get("description"),
                        required=name in each.parameters.get("required", ()),
                    )
                    for name, member in each.parameters["properties"].items()
                ],
            )
            for each in self._prompts.values()
        ]
        return types.ListPromptsResult(prompts=prompts)

    async def get(self, context: Any, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        prompt = self._prompts.get(params.name)
        if prompt is None:
            raise MCPError(types.INVALID_PARAMS, "This server has no such prompt.", {"name": params.name})
        arguments = parse_integers(prompt.parameters["properties"], params.arguments or {})
        operation = get_operations(self._pipeline.server)[prompt.name]
        answer = await run_operation(self._pipeline, operation, arguments, context)
        if answer.is_error:
            raise to_failure(answer)
        found = {"description": prompt.description, "_meta": {"corr_id": answer.corr_id}, **answer.body}
        return types.GetPromptResult.model_validate(found, by_name=False)

    async def complete(self, context: Any, params: types.CompleteRequestParams) -> types.CompleteResult:
        if isinstance(params.ref, types.PromptReference):
            prompt = self._prompts.get(params.ref.name)
            operations = None if prompt is None else argument_operations(prompt)
        else:
            resource = self._resources.get(params.ref.uri)
            operations = None if resource is None else completion_operations(resource)
        if operations is None:
            raise MCPError(types.INVALID_PARAMS, f"This server has no such {params.ref.type[4:]}.")
        operation = operations.get(params.argument.name)
        if operation is None:
            return types.CompleteResult(completion=types.Completion(values=[], total=0, has_more=False))
        answer = await run_operation(self._pipeline, operation, {"prefix": params.argument.value}, context)
        if answer.is_error:
            raise to_failure(answer)
        completion = types.Completion.model_validate(answer.body, by_name=False)
        return types.CompleteResult(completion=completion, _meta={"corr_id": answer.corr_id})
