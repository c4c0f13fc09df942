"""Lint rules for the events of a contract."""

from __future__ import annotations

from collections.abc import Iterator

from toolaccord_codegen.lint.issues import Addition, Issue, string_items
from toolaccord_codegen.lint.schema_walk import RESULT, Part, walk_schema
from toolaccord_codegen.loading.schema_nodes import ContractValue

NO_CONTROLS = r"^[^\u0000-\u0007\u000b\u000e-\u001f]*$"
"""Texts without the characters that JSON escapes by their number."""


def check_events(contract: ContractValue) -> Iterator[Issue]:
    """Yield events that no tool publishes, repeated ones, and texts that some readers reject."""
    published = {
        name for tool in contract.listed("tools") for name in string_items(tool.at("effects", "publishes").value)
    }
    for name, event in contract.items("events").items():
        if name not in published:
            message = f'no tool publishes {name}; name it in the "publishes" of one, or remove it'
            yield Issue("EVENT_UNPUBLISHED", event.place.key_place(), message)
        if event.at("encoding").value == "s_expression":
            yield from _check_texts(name, event)
        yield from check_window(name, event, _key_window_s(contract, name), "an idempotency key")


def check_window(name: str, event: ContractValue, needed_s: int, cause: str) -> Iterator[Issue]:
    """Yield an event that its channel may carry again when *cause* repeats a publication.

    Repetitions follow within *needed_s* seconds; 0 if there is none.
    """
    window = event.at("duplicate_window_s")
    if event.at("channel").value is None or (window.value or 0) >= needed_s:
        return
    message = f'{cause} lets {name} be published again for {needed_s} s; write "duplicate_window_s": {needed_s}'
    additions = (Addition(event.place, "duplicate_window_s", needed_s),) if window.value is None else ()
    yield Issue("EVENT_REPEATED", event.place.key_place(), message, additions=additions)


def _key_window_s(contract: ContractValue, event: str) -> int:
    """Return the longest window of idempotency keys of tools that publish *event*; 0 without."""
    windows = [
        tool.at("idempotency", "window_s").value or 0
        for tool in contract.listed("tools")
        if event in string_items(tool.at("effects", "publishes").value)
    ]
    return max(windows, default=0)


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
