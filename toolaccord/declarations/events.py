"""Declarations of events, which are messages to other systems."""

from __future__ import annotations

from dataclasses import dataclass

from toolaccord.contract import events


@dataclass(frozen=True, slots=True, kw_only=True)
class Event(events.Event):
    """A message that tools publish; its payload has every reference inlined."""

    nullable: bool = False
    """True if the payload admits null somewhere; otherwise members that are None are left out."""
