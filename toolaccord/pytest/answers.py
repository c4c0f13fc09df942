"""Answers of tests to the asks of a server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from toolaccord.client.declarations import AskAnswers
from toolaccord.contract.asks import Sampling
from toolaccord.declarations.asks import Elicitation

if TYPE_CHECKING:
    from toolaccord.client.declarations import AskCallback
    from toolaccord.declarations.tool import Server


def build_answers(server: Server[Any], answers: Mapping[str, Any]) -> AskAnswers:
    """Return the callbacks of a client that gives *answers*, by the names of the asks.

    An answer is a value, or a coroutine function of the message. Raises ValueError for an unknown ask.
    """
    kinds = {ask.name: type(ask) for ask in server.asks}
    if unknown := sorted(answers.keys() - kinds.keys()):
        raise ValueError(f"{server.name} has no ask {unknown[0]!r}; it has {', '.join(kinds) or 'none'}.")
    callbacks = {name: answer if callable(answer) else _give(answer) for name, answer in answers.items()}
    named = {Elicitation: "elicitation", Sampling: "sampling"}
    by_kind: dict[str, dict[str, AskCallback]] = {"elicitation": {}, "sampling": {}, "roots": {}}
    for name, callback in callbacks.items():
        by_kind[named.get(kinds[name], "roots")][name] = callback
    return AskAnswers(**by_kind)


def _give(answer: Any) -> AskCallback:
    async def give(*_message: str) -> Any:
        return answer

    return give
