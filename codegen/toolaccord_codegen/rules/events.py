"""Rules for events and the tools that publish them."""

from __future__ import annotations

import keyword
from collections.abc import Container, Iterator, Mapping

from toolaccord.contract.events import Event
from toolaccord.semantics.json_pointers import join_pointer
from toolaccord_codegen.diagnostics import Problem, suggest
from toolaccord_codegen.loading.contracts import AnyContract
from toolaccord_codegen.loading.documents import Document
from toolaccord_codegen.naming import describe_reserved
from toolaccord_codegen.rules.contract import call_names
from toolaccord_codegen.rules.tool_view import ToolView, place_items

ADDRESSES = {"subject": "nats", "channel": "redis"}
"""Kind of the source to which each form of an address belongs."""
WITHOUT_ADDRESS = "zmq_pub"
"""Kind of the sources whose endpoint is the only address."""


def check_events(document: Document, contract: AnyContract) -> Iterator[Problem]:
    """Yield events with a wrong address, windows without channels, and unknown events."""
    kinds = {source.name: source.kind for source in contract.sources}
    for event in contract.events:
        at = join_pointer("/events", event.name)
        yield from _check_name(document, at, event.name, kinds, call_names(contract))
        yield from _check_address(document, at, event, kinds)
        if event.duplicate_window_s is not None and event.channel is None:
            sentence = "only a channel needs a duplicate window; a stream has its own, and zmq_pub has none; remove it"
            yield document.problem(f"{at}/duplicate_window_s", "EVENT_WINDOW", sentence, key=True)


def check_publications(view: ToolView) -> Iterator[Problem]:
    """Yield unknown events that a tool publishes."""
    known = [event.name for event in view.contract.events]
    for place, name in place_items("/effects/publishes", view.declared.effects.publishes):
        if name not in known:
            yield view.problem(place, "EVENT_UNKNOWN", f'"{name}" is not among the events; {suggest(name, known)}')


def _check_name(
    document: Document, at: str, name: str, sources: Container[str], taken: Container[str]
) -> Iterator[Problem]:
    """Yield a name that the call record cannot have once more."""
    if name in taken or keyword.iskeyword(name):
        yield document.problem(at, "RESERVED_NAME", f"{describe_reserved(name)}; give the event another name", key=True)
    elif name in sources:
        sentence = f'a source is called "{name}" too, and both would be call.{name}; rename one'
        yield document.problem(at, "NAME_COLLISION", sentence, key=True)


def _check_address(document: Document, at: str, event: Event, kinds: Mapping[str, str]) -> Iterator[Problem]:
    """Yield an unknown source, and an address that is missing or of another kind of source."""
    found = [key for key in ADDRESSES if getattr(event, key) is not None]
    if event.source not in kinds:
        sentence = f'"{event.source}" is not among the sources; {suggest(event.source, kinds)}'
        yield document.problem(f"{at}/source", "SOURCE_UNKNOWN", sentence)
    kind = kinds.get(event.source)
    if len(found) != (kind != WITHOUT_ADDRESS):
        sentence = 'an event has a "subject" of a nats source, a "channel" of a redis source, or a zmq_pub source alone'
        yield document.problem(at, "EVENT_ADDRESS", sentence, key=True)
    elif found and kind and kind != ADDRESSES[found[0]]:
        sentence = f'a {found[0]} needs a source of the kind "{ADDRESSES[found[0]]}", and "{event.source}" is "{kind}"'
        yield document.problem(f"{at}/{found[0]}", "EVENT_ADDRESS", sentence)
