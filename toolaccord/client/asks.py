"""Answers of a typed client to the asks of its server, through the SDK's client."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, TypeVar, cast

import mcp_types as types
from mcp import ClientSession, MCPError
from mcp.client import ClientRequestContext
from mcp_types import RequestParamsMeta
from pydantic import TypeAdapter

from toolaccord.asks.answers import Accepted, Cancelled, Declined, Sampled
from toolaccord.client.declarations import AskAnswers, AskCallback

T = TypeVar("T", bound=types.Result)

_MAX_ROUNDS = 20


def make_callbacks(answers: AskAnswers) -> dict[str, Any]:
    """Return the callbacks of the SDK's client, which give it the capabilities for *answers*."""

    async def fill_in(context: ClientRequestContext, params: types.ElicitRequestParams) -> Any:
        callback = _find(answers.elicitation, context.meta)
        return _refuse() if callback is None else _to_elicit_result(await callback(params.message))

    async def write(context: ClientRequestContext, params: types.CreateMessageRequestParams) -> Any:
        callback, content = _find(answers.sampling, context.meta), params.messages[0].content
        if callback is None or not isinstance(content, types.TextContent):
            return _refuse()
        return _to_message(await callback(content.text))

    async def list_roots(context: ClientRequestContext) -> Any:
        callback = _find(answers.roots, context.meta)
        roots = None if callback is None else await callback()
        if roots is None or isinstance(roots, Declined):
            return _refuse()
        return types.ListRootsResult.model_validate({"roots": [{"uri": each.uri, "name": each.name} for each in roots]})

    return {
        **({"elicitation_callback": fill_in} if answers.elicitation else {}),
        **({"sampling_callback": write} if answers.sampling else {}),
        **({"list_roots_callback": list_roots} if answers.roots else {}),
    }


async def send_in_rounds(session: ClientSession, request: Any, result_type: type[T]) -> T:
    """Return the result of a request that may ask. Raises MCPError, also after many rounds."""
    adapter = _result_adapter(result_type)
    for _ in range(_MAX_ROUNDS):
        result = await session.send_request(request, adapter)
        if isinstance(result, result_type):
            return result
        responses = {
            key: await answer_request(session, key, each) for key, each in (result.input_requests or {}).items()
        }
        update = {"input_responses": responses, "request_state": result.request_state}
        request = request.model_copy(update={"params": request.params.model_copy(update=update)})
    raise MCPError(types.INTERNAL_ERROR, f"The call asks in more than {_MAX_ROUNDS} rounds")


@cache
def _result_adapter(result_type: type[types.Result]) -> TypeAdapter[Any]:
    """Return the validator of a result or of questions, which is slow to build."""
    return TypeAdapter(cast(Any, types.InputRequiredResult | result_type))


async def answer_request(session: ClientSession, key: str, request: types.InputRequest) -> types.InputResponse:
    """Return the answer to one request. Raises MCPError if there is none."""
    name = key.partition("-")[0]  # the SDK drops the _meta of embedded requests
    context = ClientRequestContext(session=session, request_id=key, meta=cast(RequestParamsMeta, {"ask": name}))
    response = await session.dispatch_input_request(context, request)
    if isinstance(response, types.ErrorData):
        raise MCPError.from_error_data(response)
    return response


def _find(callbacks: Mapping[str, AskCallback], meta: Mapping[str, Any] | None) -> AskCallback | None:
    """Return the callback of the ask that a request names."""
    return callbacks.get(str((meta or {}).get("ask")))


def _refuse() -> types.ErrorData:
    return types.ErrorData(code=types.INVALID_REQUEST, message="The client does not answer this ask.")


def _to_elicit_result(answer: Accepted[Any] | Declined | Cancelled) -> types.ElicitResult:
    if isinstance(answer, Accepted):
        content = answer.answer.model_dump(mode="json", by_alias=True, exclude_none=True)
        return types.ElicitResult(action="accept", content=content)
    return types.ElicitResult(action="decline" if isinstance(answer, Declined) else "cancel")


def _to_message(answer: Sampled | Declined) -> types.CreateMessageResult | types.ErrorData:
    if isinstance(answer, Declined):
        return _refuse()
    content = types.TextContent(type="text", text=answer.text)
    return types.CreateMessageResult(role="assistant", content=content, model=answer.model)
