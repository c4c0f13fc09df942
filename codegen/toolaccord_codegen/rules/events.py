"""Rules for events and the tools that publish them."""

from __future__ import annotations

import keyword
from collections.abc import Iterator
from typing import Any

from toolaccord.semantics.json_pointers import join_pointer
from toolaccord_codegen.diagnostics import Problem, suggest
from toolaccord_codegen.loading.documents import Document
from toolaccord_codegen.loading.references import as_array, as_object, list_items
from toolaccord_codegen.naming import describe_reserved
from toolaccord_codegen.rules.contract import call_names

ADDRESSES = {"subject": "nats", "channel": "redis"}
"""Kind of the source to which each form of an address belongs."""
WITHOUT_ADDRESS = "zmq_pub"
"""Kind of the sources whose endpoint is the only address."""


def check_events(document: Document) -> Iterator[Problem]:
    """Yield events with a wrong address, windows without channels, and unknown events."""
    contract = as_object(document.value)
    events, sources = as_object(contract.get("events")), as_object(contract.get("sources"))
    for name, event in events.items():
        at = join_pointer("/events", name)
        yield from _check_name(document, at, name, sources)
        yield from _check_address(document, at, as_object(event), sources)
        if "duplicate_window_s" in as_object(event) and "channel" not in as_object(event):
            sentence = "only a channel needs a duplicate window; a stream has its own, and zmq_pub has none; remove it"
            yield document.problem(f"{at}/duplicate_window_s", "EVENT_WINDOW", sentence, key=True)
    for at, tool in list_items(contract, "tools"):
        for index, name in enumerate(as_array(as_object(tool.get("effects")).get("publishes"))):
            if isinstance(name, str) and name not in events:
                sentence = f'"{name}" is not among the events; {suggest(name, events)}'
                yield document.problem(join_pointer(at, "effects", "publishes", index), "EVENT_UNKNOWN", sentence)


def _check_name(document: Document, at: str, name: str, sources: dict[str, Any]) -> Iterator[Problem]:
    """Yield a name that the call record cannot have once more."""
    if name in call_names(as_object(document.value)) or keyword.iskeyword(name):
        yield document.problem(at, "RESERVED_NAME", f"{describe_reserved(name)}; give the event another name", key=True)
    elif name in sources:
        sentence = f'a source is called "{name}" too, and both would be call.{name}; rename one'
        yield document.problem(at, "NAME_COLLISION", sentence, key=True)


def _check_address(document: Document, at: str, event: dict[str, Any], sources: dict[str, Any]) -> Iterator[Problem]:
    """Yield an unknown source, and an address that is missing or of another kind of source."""
    source, found = event.get("source"), [key for key in ADDRESSES if key in event]
    if isinstance(source, str) and source not in sources:
        sentence = f'"{source}" is not among the sources; {suggest(source, sources)}'
        yield document.problem(f"{at}/source", "SOURCE_UNKNOWN", sentence)
    kind = as_object(sources.get(str(source))).get("kind")
    if len(found) != (kind != WITHOUT_ADDRESS):
        sentence = 'an event has a "subject" of a nats source, a "channel" of a redis source, or a zmq_pub source alone'
        yield document.problem(at, "EVENT_ADDRESS", sentence, key=True)
    elif found and source in sources and kind != ADDRESSES[found[0]]:
        sentence = f'a {found[0]} needs a source of the kind "{ADDRESSES[found[0]]}", and "{source}" is "{kind}"'
        yield document.problem(f"{at}/{found[0]}", "EVENT_ADDRESS", sentence)
