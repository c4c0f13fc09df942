"""Answers of calls as the results of tasks."""

from __future__ import annotations

from datetime import date
from typing import Any

from toolaccord.call.response import Answer
from toolaccord.json_values import JsonObject
from toolaccord.versioning.lifecycle import Deprecation

_TEXTS = ("json", "content")
"""Members that are JSON already, and stay as they are."""
_OTHERS = ("is_error", "code", "http", "corr_id", "retry_after_s", "has_result", "is_replayed")


def encode_answer(answer: Answer) -> JsonObject:
    """Return the answer of a call as the result of a task."""
    members: JsonObject = {name: getattr(answer, name) for name in _OTHERS}
    members |= {name: text.decode() for name in _TEXTS if (text := getattr(answer, name)) is not None}
    if answer.deprecation:
        members["deprecation"] = _encode_deprecation(answer.deprecation)
    return members


def decode_answer(result: JsonObject) -> Answer:
    """Return the answer in the *result* of a task, which `encode_answer` made."""
    members: dict[str, Any] = dict(result)
    members |= {name: members[name].encode() for name in _TEXTS if name in members}
    if "deprecation" in members:
        members["deprecation"] = _decode_deprecation(members["deprecation"])
    return Answer(**members)


def _encode_deprecation(notice: Deprecation) -> list[str | None]:
    sunset_on = notice.sunset_on.isoformat() if notice.sunset_on else None
    return [notice.deprecated_on.isoformat(), sunset_on, notice.successor]


def _decode_deprecation(values: list[str]) -> Deprecation:
    deprecated_on, sunset_on, successor = values
    return Deprecation(
        deprecated_on=date.fromisoformat(deprecated_on),
        sunset_on=date.fromisoformat(sunset_on) if sunset_on else None,
        successor=successor,
    )
