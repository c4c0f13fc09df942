"""Streams and consumers: created by the first process, and checked by all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolaccord.sources.nats.api import NatsError, QueueMismatch
from toolaccord.sources.nats.jetstream import API, JetStream, check_answer

_STREAM_NOT_FOUND, _CONSUMER_NOT_FOUND, _SUBJECTS_OVERLAP = 10059, 10014, 10065
NO_MESSAGE = 10037
"""JetStream's code for a message that the stream does not have."""
NANOSECONDS = 1_000_000_000
_TIMES = ("max_age", "duplicate_window", "ack_wait")
"""Values in nanoseconds, which are made longer; longer ones do no harm."""


async def open_stream(jetstream: JetStream, stream: str, needed: Mapping[str, Any], further: Mapping[str, Any]) -> None:
    """Create *stream* with *needed* and *further* values, unless it exists.

    Times that are too short are made longer. Raises NatsError, and QueueMismatch if other values than the *needed* ones
    remain.
    """
    found = await _find(jetstream, f"STREAM.INFO.{stream}", _STREAM_NOT_FOUND)
    if found is None:
        request = {"name": stream, **needed, **further}
        try:
            found = _config_of(await jetstream.call(f"{API}.STREAM.CREATE.{stream}", request))
        except NatsError as error:
            if error.code != _SUBJECTS_OVERLAP:
                raise
            subjects = ", ".join(needed["subjects"])
            raise QueueMismatch(f"another stream than {stream} has the subject {subjects}") from error
    elif longer := _longer_times(stream, needed, found):
        found = _config_of(await jetstream.call(f"{API}.STREAM.UPDATE.{stream}", {**found, **longer}))
    with check_answer(stream):
        differences = list(_differences(f"the stream {stream}", needed, found))
    _require_none(differences)


async def open_consumer(
    jetstream: JetStream, stream: str, consumer: str, needed: Mapping[str, Any], further: Mapping[str, Any]
) -> None:
    """Create a durable *consumer* of *stream*, as `open_stream` creates a stream."""
    found = await _find(jetstream, f"CONSUMER.INFO.{stream}.{consumer}", _CONSUMER_NOT_FOUND)
    wanted = {"durable_name": consumer, **needed, **further}
    longer = _longer_times(stream, needed, found) if found else {}
    if found is None or longer:
        request = {"stream_name": stream, "config": wanted if found is None else {**found, **longer}}
        found = _config_of(await jetstream.call(f"{API}.CONSUMER.DURABLE.CREATE.{stream}.{consumer}", request))
    with check_answer(stream):
        differences = list(_differences(f"its consumer {consumer}", needed, found))
    _require_none(differences)


def _require_none(differences: list[str]) -> None:
    if differences:
        raise QueueMismatch("; ".join(differences))


async def _find(jetstream: JetStream, request: str, missing: int) -> Mapping[str, Any] | None:
    """Return the configuration that *request* finds; None if the error code is *missing*."""
    try:
        return _config_of(await jetstream.call(f"{API}.{request}"))
    except NatsError as error:
        if error.code != missing:
            raise
        return None


def _config_of(answer: Mapping[str, Any]) -> Mapping[str, Any]:
    config: Mapping[str, Any] = answer.get("config") or {}
    return config


def _longer_times(stream: str, needed: Mapping[str, Any], found: Mapping[str, Any]) -> Mapping[str, int]:
    with check_answer(stream):
        short = (key for key in _TIMES if key in needed and found[key] < needed[key])
        return {key: needed[key] for key in short if key != "max_age" or found[key] > 0}  # zero is for ever


def _differences(name: str, needed: Mapping[str, Any], found: Mapping[str, Any]) -> Iterator[str]:
    for key, value in needed.items():
        has, needs = found.get(key) or "none", value or "none"
        if key == "subjects":
            fits = set(value) <= set(found[key])
            has, needs = ", ".join(found[key]), ", ".join(value)
        else:
            fits = has == needs or key in _TIMES
        if not fits:
            yield f"{name} has the {key} {has}, and needs {needs}"
