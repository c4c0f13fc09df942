"""Calls as the event loop of a real server had them, one at a time."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from operator import attrgetter
from pathlib import Path
from random import Random
from statistics import mean
from typing import NamedTuple

from benchmarks.clients.paced import Response
from benchmarks.scale.calls import Call, Draw, Leg, Visit

APART_S = 0.001
"""Least time between two calls, so that the server has ended all of the first one."""
ALIKE = 20
"""Calls whose event loop was idle about as long; one of them is drawn."""
CLIENT = "client"


class _Poll(NamedTuple):
    begun: float
    ended: float
    read: Sequence[str]
    written: Sequence[str]


@dataclass(frozen=True, slots=True)
class Traced:
    """A call that a server had alone."""

    idle_s: float
    """Seconds in which the event loop had nothing to do before."""
    call: Call

    @property
    def busy_s(self) -> float:
        """Processor time of its turns."""
        return sum(sum(leg.turns_s) for leg in self.call.legs)


def read(file: Path, responses: Sequence[Response], backends: Mapping[str, str]) -> Sequence[Traced]:
    """Return the calls that the server had alone, from what it wrote down.

    *backends* are the titles of backends, by the URLs of sources. Calls with unusual turns for others are left out.
    """
    polls = [_name(_Poll(*each), backends) for each in json.loads(file.read_text(encoding="ascii"))]
    ends, ordered = [each.ended for each in polls], sorted(responses, key=attrgetter("sent"))
    found = []
    for before, response, after in zip(ordered, ordered[1:], ordered[2:], strict=False):
        if before.received + APART_S < response.sent and response.received + APART_S < after.sent:
            first, last = bisect_left(ends, response.sent), bisect_left(ends, after.sent)
            found.append(_read_call(polls[first : last + 1], response))
    complete = [each for each in found if each]
    usual, _ = Counter(map(_list_visited, complete)).most_common(1)[0]
    return sorted((each for each in complete if _list_visited(each) == usual), key=attrgetter("idle_s"))


def _name(poll: _Poll, backends: Mapping[str, str]) -> _Poll:
    """Return a poll with names of backends instead of peers."""
    read, written = ([_find_title(peer, backends) for peer in peers if peer] for peers in poll[2:])
    return poll._replace(read=read, written=written)


def _find_title(peer: str, backends: Mapping[str, str]) -> str:
    """Return the title of the backend with a port or the path of a socket."""
    for url, title in backends.items():
        is_socket = peer.startswith(".") if title == "PostgreSQL" else peer in url
        if url.endswith(f":{peer}") or f":{peer}/" in url or (not peer.isdigit() and is_socket):
            return title
    return CLIENT


def _read_call(polls: Sequence[_Poll], response: Response) -> Traced | None:
    """Return the call of some polls, the last one of the next call; None if it met another."""
    polls = polls[next((number for number, each in enumerate(polls) if each.read), 0) :]
    if len(polls) < 2 or polls[0].read != [CLIENT] or any(CLIENT in each.read for each in polls[1:-1]):
        return None
    starts = [number for number, each in enumerate(polls[:-1]) if each.read]
    legs: list[Leg] = []
    sent_at = 0.0
    for begin, end in pairwise([*starts, len(polls) - 1]):
        turns = polls[begin : end + 1]
        turns_s = [after.begun - turn.ended for turn, after in pairwise(turns)]
        is_last = end == len(polls) - 1
        wanted = CLIENT if is_last else polls[end].read[0]
        sends = [number for number, each in enumerate(turns[:-1]) if wanted in each.written]
        if not sends or min(turns_s) < 0:  # polls of another thread lie between
            return None
        sent_at = turns[sends[-1] + 1].begun
        visit = None if is_last else Visit(wanted, max(polls[end].ended - sent_at, 0.0))
        legs.append(Leg(turns_s, sends[-1], visit))
    transit_s, return_s = polls[0].ended - response.sent, max(response.received - sent_at, 0.0)
    return Traced(polls[0].ended - polls[0].begun, Call(legs, max(transit_s, 0.0), return_s))


def _list_visited(traced: Traced) -> Sequence[str]:
    return tuple(leg.visit.backend for leg in traced.call.legs if leg.visit)


def with_processors(traced: Sequence[Traced], backends_s: Mapping[str, float]) -> Sequence[Traced]:
    """Return calls with the processor time of each backend, shared by the waits of visits."""
    waits_s = [dict(_sum_waits(each)) for each in traced]
    shares = {name: backends_s.get(name, 0.0) / mean(each[name] for each in waits_s) for name in waits_s[0]}

    def complete(leg: Leg) -> Leg:
        visit = leg.visit and replace(leg.visit, processor_s=shares[leg.visit.backend] * leg.visit.wait_s)
        return replace(leg, visit=visit)

    return [replace(each, call=replace(each.call, legs=[complete(leg) for leg in each.call.legs])) for each in traced]


def _sum_waits(traced: Traced) -> Iterator[tuple[str, float]]:
    visits = [leg.visit for leg in traced.call.legs if leg.visit]
    for name in {each.backend for each in visits}:
        yield name, sum(each.wait_s for each in visits if each.backend == name)


def draw_alike(traced: Sequence[Traced], loaded_s: float) -> Draw:
    """Return calls whose event loop was idle about as long as the one that asks.

    An event loop without a pause takes *loaded_s* for a call. Between that and the shortest pause that was measured, it
    is proportional.
    """
    pauses = [each.idle_s for each in traced]
    shortest_s = mean(pauses[:ALIKE])
    warm = loaded_s / mean(each.busy_s for each in traced[:ALIKE])

    def draw(random: Random, idle_s: float) -> Call:
        place = min(max(bisect_left(pauses, idle_s) - ALIKE // 2, 0), max(len(traced) - ALIKE, 0))
        call = traced[min(place + int(random.random() * ALIKE), len(traced) - 1)].call
        if idle_s >= shortest_s:
            return call
        part = warm + (1 - warm) * idle_s / shortest_s
        return replace(call, legs=[replace(leg, turns_s=[part * each for each in leg.turns_s]) for leg in call.legs])

    return draw
