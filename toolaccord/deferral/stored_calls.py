"""Calls as the work of tasks."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from typing import Any

from toolaccord.asks.channel import CAPABILITIES
from toolaccord.asks.rounds import Rounds, RoundState
from toolaccord.call.context import BoundOperation, IncomingCall
from toolaccord.handler import Caller
from toolaccord.json_values import JsonObject
from toolaccord.tasks.service import GIVEN
from toolaccord.tasks.task import Task

_TRACE = ("traceparent", "tracestate")
_MAX_TRACE, _MAX_NAME = 512, 128
"""Most characters of a header of a trace, and of a caller's name, that a record keeps."""
_STATE, _KEYS = "state", "keys"
"""Members of a task's `rounds`: the state of the questions, and their names by their keys."""


def encode_call(call: IncomingCall, key: str | None) -> JsonObject:
    """Return *call* as the work of a task; *key* is its idempotency key, if it has one."""
    meta = call.meta or {}
    channel = call.channel
    work: JsonObject = {
        "arguments": call.arguments,
        "version": call.version,
        "caller": _shorten(call.caller),
        "identity": call.identity,
        "meta": {"corr_id": call.corr_id, **{name: meta[name] for name in _TRACE if _is_header(meta.get(name))}},
        "key": key,
        "asks": [method for method in CAPABILITIES if channel is not None and channel.supports(method)],
    }
    if call.proven:
        work["proven"] = _encode_caller(call.proven)
    return work


def decode_call(receive: Callable[..., IncomingCall], bound: BoundOperation, task: Task) -> IncomingCall:
    """Return the call that is the work of *task*, with the answers that its caller has given."""
    work = task.work
    call = receive(
        bound,
        work["arguments"],
        work["meta"],
        version=work["version"],
        caller=work["caller"],
        identity=work["identity"],
    )
    proven = Caller(**{**work["proven"], "scopes": frozenset(work["proven"]["scopes"])}) if "proven" in work else None
    channel = _open_rounds(task) if bound.operation.asks else None
    return call.by(proven)._replace(task_key=work["key"] or task.key.id, channel=channel)


def first_rounds(channel: Any) -> JsonObject:
    """Return what the caller has answered before the task exists, for the task's `rounds`."""
    return {_STATE: channel.answered.encode()} if isinstance(channel, Rounds) else {}


def next_rounds(task: Task, questions: JsonObject) -> tuple[JsonObject, JsonObject]:
    """Return the *questions* of a run by new keys, and the rounds for the next run of *task*."""
    used = dict(task.rounds.get(_KEYS, {}))
    requests = {}
    for name, request in questions["inputRequests"].items():
        key = name if name not in used else f"{name}-r{len(used)}"
        used[key] = name
        requests[key] = request
    return requests, {_STATE: questions["requestState"], _KEYS: used}


def _is_header(value: Any) -> bool:
    """Return whether a trace's header is worth keeping: clients may send anything."""
    return isinstance(value, str) and len(value) <= _MAX_TRACE and value.isascii()


def _shorten(name: str) -> str:
    """Return the *name* that a caller gives itself, or the digest of a long one.

    Idempotency keys have the same digest.
    """
    return name if len(name) <= _MAX_NAME else sha256(name.encode(errors="surrogatepass")).hexdigest()


def _open_rounds(task: Task) -> Rounds:
    """Return the way to the caller of *task*, who answers between runs."""
    state = task.rounds.get(_STATE)
    names = task.rounds.get(_KEYS, {})
    responses = {names[key]: response for key, response in task.rounds.get(GIVEN, {}).items()}
    supported = frozenset(task.work["asks"])
    return Rounds(RoundState.decode(state) if state else RoundState(), responses, supported.__contains__)


def _encode_caller(caller: Caller) -> JsonObject:
    return {
        "issuer": caller.issuer,
        "subject": caller.subject,
        "client": caller.client,
        "scopes": sorted(caller.scopes),
        "expires_at": caller.expires_at,
        "claims": dict(caller.claims),
        "identity": caller.identity,
    }
