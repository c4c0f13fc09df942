"""Compare the events that a server publishes; their payloads are results for subscribers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolaccord_codegen.breaking.changes import Change
from toolaccord_codegen.breaking.compare.contract_pair import ContractPair
from toolaccord_codegen.breaking.compare.schemas.comparison import schema_changes
from toolaccord_codegen.breaking.compare.schemas.keyword_change import format_optional
from toolaccord_codegen.breaking.compare.schemas.schema_pair import Topic
from toolaccord_codegen.breaking.rule import Direction
from toolaccord_codegen.loading.references import as_array, as_object

DELIVERY = ("source", "subject", "channel", "encoding")
"""Keys on which the reception of an event depends."""


def event_changes(contract: ContractPair) -> Iterator[Change]:
    """Yield changes of the events of a server."""
    before, after = contract.old.items("events"), contract.new.items("events")
    for name in {**before, **after}:
        event = contract.at("events", name, label=f"event {name}")
        if name not in after:
            yield event.change("EVENT_REMOVED", "the event is no longer published")
        elif name not in before:
            yield event.change("EVENT_ADDED", "the event is new")
        else:
            yield from _one_event_changes(event)
            publishers = [_list_published(side) for side in contract.around.contracts]
            if name in publishers[0] and name not in publishers[1]:
                yield event.change("EVENT_REMOVED", "no tool publishes the event any more")


def _list_published(contract: Mapping[str, Any]) -> set[str]:
    """Return the events that the tools of a contract publish."""
    effects = (as_object(as_object(tool).get("effects")) for tool in as_array(contract.get("tools")))
    return {str(name) for each in effects for name in as_array(each.get("publishes"))}


def _one_event_changes(event: ContractPair) -> Iterator[Change]:
    """Yield the changes of one event."""
    for key in DELIVERY:
        yield from event.value_change("EVENT_DELIVERY_CHANGED", key, describe=format_optional, detail=key)
    before, after = (as_array(pointers) for pointers in event.values("symbols"))
    if sorted(map(str, before)) != sorted(map(str, after)):
        yield from event.value_change("EVENT_DELIVERY_CHANGED", "symbols", describe=format_optional, detail="symbols")
    yield from _window_changes(event)
    yield from event.text_change("DESCRIPTION_CHANGED", "description")
    topic = Topic(direction=Direction.OUTPUT, noun=event.label, whole=event.label, subject=event.label)
    yield from schema_changes(topic, event.old.node("payload"), event.new.node("payload"))


def _window_changes(event: ContractPair) -> Iterator[Change]:
    """Yield the change of the time in which a channel carries an event once."""
    before, after = (window or 0 for window in event.values("duplicate_window_s"))
    if isinstance(before, int | float) and isinstance(after, int | float):
        rule = "EVENT_WINDOW_SHORTENED" if after < before else "EVENT_WINDOW_EXTENDED"
        yield from event.value_change(rule, "duplicate_window_s", detail="duplicate_window_s")


def publication_changes(tool: ContractPair) -> Iterator[Change]:
    """Yield changes of the events that a tool publishes."""
    keys = ("effects", "publishes")
    before, after = (as_array(names) for names in tool.values(*keys))
    for name in sorted(set(after) - set(before)):
        yield tool.change("PUBLICATION_ADDED", f"the tool now publishes {name}", *keys, detail=name)
    for name in sorted(set(before) - set(after)):
        yield tool.change("PUBLICATION_REMOVED", f"the tool no longer publishes {name}", *keys, detail=name)
