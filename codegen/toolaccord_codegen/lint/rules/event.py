"""Lint rules for the events of a contract."""

from __future__ import annotations

from collections.abc import Iterator

from toolaccord.contract.events import Event
from toolaccord.contract.server_contracts import ServerContract
from toolaccord_codegen.lint.issues import Addition, Issue
from toolaccord_codegen.lint.schema_walk import RESULT, Part, walk_schema
from toolaccord_codegen.loading.schema_nodes import ContractValue, Place

NO_CONTROLS = r"^[^\u0000-\u0007\u000b\u000e-\u001f]*$"
"""Texts without the characters that JSON escapes by their number."""


def check_events(contract: ContractValue) -> Iterator[Issue]:
    """Yield events that no tool publishes, repeated ones, and texts that some readers reject."""
    server = contract.read(ServerContract)
    for event in server.events:
        place = contract.at("events", event.name)
        publishers = [tool for tool in server.tools if event.name in tool.effects.publishes]
        if not publishers:
            message = f'no tool publishes {event.name}; name it in the "publishes" of one, or remove it'
            yield Issue("EVENT_UNPUBLISHED", place.place.key_place(), message)
        if event.encoding == "s_expression":
            yield from _check_texts(event.name, place)
        windows = [tool.idempotency.window_s for tool in publishers if tool.idempotency]
        yield from check_window(event, place.place, max(windows, default=0), "an idempotency key")


def check_window(event: Event, place: Place, needed_s: int, cause: str) -> Iterator[Issue]:
    """Yield an event that its channel may carry again when *cause* repeats a publication.

    Repetitions follow within *needed_s* seconds; 0 if there is none.
    """
    window = event.duplicate_window_s
    if event.channel is None or (window or 0) >= needed_s:
        return
    message = f'{cause} lets {event.name} be published again for {needed_s} s; write "duplicate_window_s": {needed_s}'
    additions = (Addition(place, "duplicate_window_s", needed_s),) if window is None else ()
    yield Issue("EVENT_REPEATED", place.key_place(), message, additions=additions)


def _check_texts(name: str, event: ContractValue) -> Iterator[Issue]:
    """Yield texts in an S-expression that may have control characters."""
    from toolaccord_codegen.schema_sets.regex_automata import includes  # noqa: PLC0415 - rarely needed and slow to import

    for part in walk_schema(Part(RESULT, event.node("payload"), "", "")):
        pattern = str(part.node.value("pattern") or "")
        is_free = part.lacks("const", "enum") and not part.node.format(checked=True)
        if "string" in part.types and is_free and not includes(NO_CONTROLS, pattern):
            message = (
                f'{part.pointer or "the payload"} of {name} admits control characters; add a "pattern" without them'
            )
            yield Issue("S_EXPRESSION_CONTROLS", part.definition, message)
