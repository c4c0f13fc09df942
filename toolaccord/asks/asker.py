"""The asks of one call: messages out of a contract's templates, and checked answers."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import Any

from toolaccord.asks.answers import Accepted, Cancelled, Declined, Root, Sampled
from toolaccord.asks.channel import (
    CAPABILITIES,
    ELICITATION,
    MAX_ASKS,
    ROOTS,
    SAMPLING,
    AskChannel,
    AskError,
    MissingCapability,
    Refused,
)
from toolaccord.contract.asks import Roots, Sampling
from toolaccord.declarations.asks import Ask, Elicitation
from toolaccord.json_values import JsonObject
from toolaccord.schema.validator import SchemaValidator, load_record
from toolaccord.schema.violations import describe

_LOG = logging.getLogger(__name__)
_PLACEHOLDER = re.compile(r"\{([a-z][a-z0-9_]*)\}")
_METHODS: dict[type[Any], str] = {Elicitation: ELICITATION, Sampling: SAMPLING, Roots: ROOTS}
_MAX_VALUE_CHARACTERS = 10_000


class Asker:
    """Asks the caller of one call.

    Each ask of the contract is a coroutine function, by its name.
    """

    def __init__(
        self,
        declared: Mapping[str, Ask],
        redact: Callable[[str], str],
        allowed: Collection[str],
        channel: AskChannel | None,
    ) -> None:
        """*allowed* are the asks of the called operation. Without a *channel* nobody can be asked."""
        self._declared = declared
        self._allowed = allowed
        self._channel = channel
        self._redact = redact
        self._counts: dict[str, int] = {}

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """Return the function that asks *name*.

        Raises AttributeError for an ask that the called operation does not declare.
        """
        if name not in self._allowed:
            raise AttributeError(
                f'the ask {name} is not declared here; name it in "asks" of the tool, prompt or resource'
            )
        return partial(self._ask, self._declared[name])

    def supports(self, *names: str) -> bool:
        """Return whether the caller can be asked each of *names*."""
        methods = {_METHODS[type(self._declared[name])] for name in names}
        return self._channel is not None and all(map(self._channel.supports, methods))

    async def _ask(self, ask: Ask, **parameters: str | float) -> Any:
        """Return the answer to *ask*. Raises AskError."""
        method = _METHODS[type(ask)]
        if self._channel is None or not self._channel.supports(method):
            if ask.optional:
                return Declined()
            raise MissingCapability(ask.name, CAPABILITIES[method])
        if sum(self._counts.values()) >= MAX_ASKS:
            raise AskError(f"The call asks more than {MAX_ASKS} times.")
        count = self._counts[ask.name] = self._counts.get(ask.name, 0) + 1
        key = ask.name if count == 1 else f"{ask.name}-{count}"
        try:
            result = await self._channel.send(key, method, self._params(ask, parameters))
        except Refused as error:
            _LOG.info("the client did not answer %s: %s", ask.name, error)
            return Declined()
        try:
            return _read_answer(ask, result)
        except (KeyError, TypeError):
            raise AskError(f"The answer to {ask.name} is no result of {method}.") from None

    def _params(self, ask: Ask, parameters: Mapping[str, Any]) -> JsonObject:
        """Return the parameters of the request for *ask*, which names itself to typed clients."""
        meta: JsonObject = {"_meta": {"ask": ask.name}}
        if isinstance(ask, Roots):
            return meta
        message = self._redact(_PLACEHOLDER.sub(partial(_placeholder_text, parameters), ask.message))
        if isinstance(ask, Elicitation):
            return {"message": message, "requestedSchema": ask.schema} | meta
        system_prompt = {} if ask.system_prompt is None else {"systemPrompt": ask.system_prompt}
        messages = [{"role": "user", "content": {"type": "text", "text": message}}]
        return {"messages": messages, "maxTokens": ask.max_tokens, **system_prompt} | meta


def _placeholder_text(parameters: Mapping[str, Any], found: re.Match[str]) -> str:
    return str(parameters[found[1]])[:_MAX_VALUE_CHARACTERS]


def _read_answer(ask: Ask, result: JsonObject) -> Any:
    """Return the *result* of a request as the answer to *ask*. Raises AskError."""
    if isinstance(ask, Roots):
        return tuple(Root(root["uri"], root.get("name")) for root in result["roots"])
    if isinstance(ask, Sampling):
        content = result["content"]
        blocks = content if isinstance(content, list) else [content]
        return Sampled("".join(block["text"] for block in blocks if block["type"] == "text"), result["model"])
    if result["action"] != "accept":
        return Declined() if result["action"] == "decline" else Cancelled()
    return Accepted(_read_form(ask, result.get("content") or {}))


def _read_form(ask: Elicitation, content: JsonObject) -> Any:
    """Return the *content* of a form as the contract's model. Raises AskError.

    Null for an optional field counts as absent.
    """
    validator = SchemaValidator(ask.schema)
    filled, violations = validator.check_arguments(content)
    if not violations:
        form = load_record(ask.answer, validator.normalise(filled))
        if not isinstance(form, list):
            return form
        violations = form
    raise AskError(f"The answer to {ask.name} breaks its schema: {describe(violations)}")
