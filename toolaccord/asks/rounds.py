"""Asks of the stateless era, in rounds.

A call ends with its questions, and its caller repeats it with the answers.

Each round runs the handler from its start, with the answers of earlier rounds. They travel in `requestState`, which the
transport seals. An answer counts only for the question that it was given to: a question with another text is asked
again. A first request may have answers, too, which count for the questions of their names.
"""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, TypeVar

from toolaccord.asks.channel import AskError, InputRequired
from toolaccord.json_values import JsonObject

T = TypeVar("T")

MAX_ROUNDS = 10
"""Rounds of one call; clients of the SDKs repeat a call as often."""
MAX_STATE_BYTES = 1 << 15
"""Largest state of a call, with all answers, before it is sealed."""


class InvalidState(Exception):
    """A state does not belong to the call, or was used before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundState:
    """Progress of a call, from one round to the next."""

    binding: JsonObject = field(default_factory=dict)
    """Values that are the same in each round of a call, such as the version of the tool."""
    number: int = 0
    """Number of rounds before this one."""
    id: str = ""
    """Id of this state, random; empty in the first round."""
    asked: Mapping[str, str] = field(default_factory=dict)
    """Digests of the questions that wait for an answer, by key."""
    answers: Mapping[str, tuple[str, JsonObject]] = field(default_factory=dict)
    """Digests of the answered questions, and their answers, by key."""

    def encode(self) -> str:
        """Return the state as text. Raises AskError for a state that is too large."""
        text = json.dumps([self.binding, self.number, self.id, self.asked, self.answers], separators=(",", ":"))
        if len(text) > MAX_STATE_BYTES:
            raise AskError(f"The answers of this call take more than {MAX_STATE_BYTES} bytes.")
        return text

    @classmethod
    def decode(cls, text: str) -> RoundState:
        """Return the state in *text*, which an `encode` made."""
        binding, number, state_id, asked, answers = json.loads(text)
        return cls(binding=binding, number=number, id=state_id, asked=asked, answers=answers)

    def answered(self, responses: Mapping[str, JsonObject]) -> Mapping[str, tuple[str, JsonObject]]:
        """Return all answers so far; of *responses* only those count that were asked for."""
        given = {key: (digest, responses[key]) for key, digest in self.asked.items() if key in responses}
        return {**self.answers, **given}


class Rounds:
    """Way to the caller of one call, over several rounds."""

    def __init__(self, state: RoundState, responses: Mapping[str, JsonObject], supports: Callable[[str], bool]) -> None:
        self.supports = supports
        self._state = state
        self._answers = {**state.answered(responses)}
        self._unasked = {} if state.number else responses
        """Answers in the first request: its caller knows the questions already."""
        self._pending: dict[str, tuple[str, JsonObject]] = {}
        self._is_asked = asyncio.get_running_loop().create_future()

    async def send(self, key: str, method: str, params: JsonObject) -> JsonObject:
        """Return the recorded answer.

        Without one, end the round with all asks of this turn of the event loop.
        """
        request = {"method": method, "params": params}
        digest = sha256(json.dumps(request, sort_keys=True).encode()).hexdigest()[:32]
        recorded, answer = self._answers.get(key, ("", dict[str, Any]()))
        if recorded == digest:
            return answer
        if key in self._unasked:
            answer = self._unasked[key]
            self._answers[key] = digest, answer
            return answer
        self._pending[key] = digest, request
        loop = asyncio.get_running_loop()
        loop.call_soon(self._end_round)  # asks of one turn, as by asyncio.gather, share a round
        unanswered: asyncio.Future[JsonObject] = loop.create_future()
        return await unanswered

    @property
    def answered(self) -> RoundState:
        """The answers that the handler asked for, for another run of it elsewhere."""
        return RoundState(answers=self._answers)

    async def run(self, handler: Awaitable[T]) -> T:
        """Return the result of *handler*.

        Raises what it raises. Cancels it and raises InputRequired for an ask without an answer.
        """
        task = asyncio.ensure_future(handler)
        try:
            await asyncio.wait({task, self._is_asked}, return_when=asyncio.FIRST_COMPLETED)
            if task.done():
                return task.result()
        finally:
            if not task.done():
                task.cancel()
                await asyncio.wait({task})
        raise self._input_required()

    def _end_round(self) -> None:
        if not self._is_asked.done():
            self._is_asked.set_result(None)

    def _input_required(self) -> InputRequired | AskError:
        """Return the end of this round."""
        if self._state.number >= MAX_ROUNDS:
            return AskError(f"The call asks in more than {MAX_ROUNDS} rounds.")
        state = RoundState(
            binding=self._state.binding,
            number=self._state.number + 1,
            id=secrets.token_urlsafe(12),
            asked={key: digest for key, (digest, _) in self._pending.items()},
            answers={key: answer for key, answer in self._answers.items() if key not in self._pending},
        )
        return InputRequired({key: request for key, (_, request) in self._pending.items()}, state.encode())
