"""Events in S-expressions: subscribers read an event of the contract, or nothing."""

from __future__ import annotations

import sys
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from tests.toolaccord.demo.alarm import Warden
from tests.toolaccord.generated.demo.alarm.server import AlarmCall, server
from tests.toolaccord.s_expressions.strict import Pair, Word, read
from toolaccord.call.events import BoundEvent, bind_events
from toolaccord.call.results import BrokenResultError
from toolaccord.testing import FakeSource, UnreachableRedis

HOSTILE = st.sampled_from(
    ['HOWL") (type . "CLOSE', ") (type . CLOSE", "rising) (x . 1", 'a"', "\\", '\\"', "; x", "#t", "nil"]
)
TEXTS = HOSTILE | st.text(alphabet="()\". \\;#'|\n\x00é", max_size=12) | st.text(max_size=6)
ANYTHING = (
    TEXTS | st.none() | st.booleans() | st.integers() | st.floats() | st.lists(TEXTS) | st.dictionaries(TEXTS, TEXTS)
)
PAYLOADS = st.fixed_dictionaries(
    {"action": st.just("HOWL") | ANYTHING, "place": TEXTS | ANYTHING},
    optional={
        "tone": st.sampled_from(["rising", "steady"]) | ANYTHING,
        "seconds": st.lists(st.floats(), max_size=1) | ANYTHING,
        "type": TEXTS,
        "place) (type": TEXTS,
    },
)


async def ring(_place: str, _call: AlarmCall) -> None:
    raise AssertionError


def siren() -> BoundEvent:
    """Return the event of the contract that is an S-expression."""
    bound = bind_events(server(Warden(ring)).events, {"stream": FakeSource("nats"), "state": UnreachableRedis()})
    return next(each for each in bound if each.event.name == "siren")


SIREN = siren()


def datum(name: str, value: Any) -> Any:
    """Return the datum of a valid member."""
    if name == "seconds":
        return [float(f"{number:.10g}") for number in value]
    return Word(value) if name == "tone" else value


@given(PAYLOADS)
@example({"action": "HOWL", "place": "barn", "tone": "rising", "seconds": [1.5]})
@example({"action": "HOWL", "place": "barn", "seconds": [sys.float_info.max]})
def test_subscribers_read_the_event_of_the_contract_or_nothing(payload: dict[str, Any]) -> None:
    try:
        text = SIREN.encode(SIREN.payload, payload)
    except BrokenResultError:
        return
    assert read(text.decode()) == [Pair(Word(name), datum(name, value)) for name, value in payload.items()]
    assert set(payload) <= {"action", "place", "tone", "seconds"}
    assert payload["action"] == "HOWL"
