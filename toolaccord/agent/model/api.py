"""An API like OpenAI's, as far as the check of a model needs it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import orjson
from openai import APIStatusError, AsyncOpenAI, OpenAIError

from toolaccord.json_values import JsonObject

_CAPABILITIES: Final = {"tools": "tool_calling", "structured_outputs": "structured_output"}
"""Capabilities by the parameters that OpenRouter lists."""
_REJECTIONS: Final = {400, 403, 404, 405, 422}
"""Statuses that reject one request, and neither the key nor every request."""
_PROMPT: Final = 'Confirm that you can do this: call the tool, or answer {"confirmed": true}.'
_SCHEMA: Final = {
    "type": "object",
    "properties": {"confirmed": {"type": "boolean"}},
    "required": ["confirmed"],
    "additionalProperties": False,
}
_DEMANDS: Final[dict[str, JsonObject]] = {
    "tool_calling": {
        "tools": [{"type": "function", "function": {"name": "confirm", "parameters": _SCHEMA}}],
        "tool_choice": "required",
    },
    "structured_output": {
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "confirm", "strict": True, "schema": _SCHEMA},
        }
    },
}
"""Members of the request that shows a capability."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """A model as the API describes it."""

    capabilities: frozenset[str]
    """Those of `tool_calling` and `structured_output` that it has."""
    context_window: int | None
    """Tokens of its context; None if the API does not say."""


class ModelApi:
    """The requests of the check.

    Each raises OpenAIError if there is no answer, such as AuthenticationError for an invalid key.
    """

    def __init__(self, client: AsyncOpenAI) -> None:
        self._client = client

    async def describe_models(self) -> dict[str, Offer]:
        """Return the models by their names, if the API describes them as OpenRouter does; else none."""
        try:
            answer = _read(await self._client.get("/models", cast_to=object))
        except APIStatusError as error:
            _raise_unless_rejected(error)
            return {}
        models = [each for each in answer.get("data") or () if isinstance(each.get("supported_parameters"), list)]
        return {each[key]: _read_offer(each) for key in ("canonical_slug", "id") for each in models if key in each}

    async def describes_key(self) -> bool:
        """Return True if the API describes the key, as OpenRouter does.

        OpenRouter lists its models to everybody. Raises AuthenticationError if the API rejects the key.
        """
        try:
            await self._client.get("/key", cast_to=object)
        except APIStatusError as error:
            _raise_unless_rejected(error)
            return False
        return True

    async def find_lack(self, capability: str, model: str) -> str | None:
        """Return what *model* lacks, as a predicate; None if it answers a request with *capability*."""
        body = {"model": model, "messages": [{"role": "user", "content": _PROMPT}], **_DEMANDS[capability]}
        try:
            answer = _read(await self._client.post("/chat/completions", cast_to=object, body=body))
        except APIStatusError as error:
            _raise_unless_rejected(error)
            return f"is rejected with status {error.status_code}"
        messages = [choice.get("message") or {} for choice in answer.get("choices") or ()]
        if capability == "tool_calling":
            is_shown = any(message.get("tool_calls") for message in messages)
        else:
            is_shown = any(_is_confirmation(message.get("content")) for message in messages)
        return None if is_shown else describe_lack(capability)


def describe_lack(capability: str) -> str:
    """Return the predicate of a model without *capability*."""
    return f"lacks {capability.replace('_', ' ')}"


def _read(answer: Any) -> JsonObject:
    if not isinstance(answer, dict):
        raise OpenAIError("its answer is no JSON object")
    return answer


def _raise_unless_rejected(error: APIStatusError) -> None:
    if error.status_code not in _REJECTIONS:
        raise error


def _read_offer(model: JsonObject) -> Offer:
    capabilities = {_CAPABILITIES[each] for each in model["supported_parameters"] if each in _CAPABILITIES}
    window = model.get("context_length")
    return Offer(capabilities=frozenset(capabilities), context_window=window if isinstance(window, int) else None)


def _is_confirmation(text: Any) -> bool:
    try:
        return "confirmed" in orjson.loads(text)
    except (ValueError, TypeError):
        return False
