"""Compare the events of a server or an agent; their payloads are results for subscribers."""

from __future__ import annotations

from collections.abc import Iterator

from toolaccord.contract.events import Event
from toolaccord_codegen.breaking.changes import Change
from toolaccord_codegen.breaking.compare.contract_pair import ContractPair
from toolaccord_codegen.breaking.compare.fields import field_changes, split_members
from toolaccord_codegen.breaking.compare.schemas.comparison import schema_changes
from toolaccord_codegen.breaking.compare.schemas.keyword_change import format_optional
from toolaccord_codegen.breaking.compare.schemas.schema_pair import Topic
from toolaccord_codegen.breaking.rule import Direction


def event_changes(contract: ContractPair) -> Iterator[Change]:
    """Yield changes of the events of a server or an agent."""
    changes, kept = split_members(contract, "events", "event", added="EVENT_ADDED", removed="EVENT_REMOVED")
    yield from changes
    before, after = (
        {name for each in side.tools for name in each.effects.publishes} for side in contract.around.contracts
    )
    for event in kept:
        yield from field_changes(event, Event)
        old, new = event.records(Event)
        if {*old.symbols} != {*new.symbols}:
            yield from event.value_change(
                "EVENT_DELIVERY_CHANGED", "symbols", describe=format_optional, detail="symbols"
            )
        topic = Topic(direction=Direction.OUTPUT, noun=event.label, whole=event.label, subject=event.label)
        yield from schema_changes(topic, event.old.node("payload"), event.new.node("payload"))
        if event.label.removeprefix("event ") in before - after:
            yield event.change("EVENT_REMOVED", "no tool publishes the event any more")
