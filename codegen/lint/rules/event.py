"""Lint rules for the events of a contract."""

from __future__ import annotations

from collections.abc import Iterator

from codegen.lint.issues import Issue, string_items
from codegen.lint.schema_walk import RESULT, Part, walk_schema
from codegen.loading.schema_nodes import ContractValue

NO_CONTROLS = r"^[^\u0000-\u0007\u000b\u000e-\u001f]*$"
"""Texts without the characters that JSON escapes by their number."""


def check_events(contract: ContractValue) -> Iterator[Issue]:
    """Yield events that no tool publishes, and texts that some of their readers reject."""
    published = {
        name for tool in contract.listed("tools") for name in string_items(tool.at("effects", "publishes").value)
    }
    for name, event in contract.items("events").items():
        if name not in published:
            message = f'no tool publishes {name}; name it in the "publishes" of one, or remove it'
            yield Issue("EVENT_UNPUBLISHED", event.place.key_place(), message)
        if event.at("encoding").value == "s_expression":
            yield from _check_texts(name, event)


def _check_texts(name: str, event: ContractValue) -> Iterator[Issue]:
    """Yield texts in an S-expression that may have control characters."""
    from codegen.schema_sets.regex_automata import includes  # noqa: PLC0415 - rarely needed and slow to import

    for part in walk_schema(Part(RESULT, event.node("payload"), "", "")):
        pattern = str(part.node.value("pattern") or "")
        if "string" in part.types and part.lacks("const", "enum", "format") and not includes(NO_CONTROLS, pattern):
            message = (
                f'{part.pointer or "the payload"} of {name} admits control characters; add a "pattern" without them'
            )
            yield Issue("S_EXPRESSION_CONTROLS", part.definition, message)
