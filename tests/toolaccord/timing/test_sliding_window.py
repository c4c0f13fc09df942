"""Counts of events of the last seconds."""

from hypothesis import given
from hypothesis import strategies as st

from toolaccord.timing.sliding_window import SlidingWindow


@given(st.lists(st.tuples(st.floats(0, 20), st.booleans()), max_size=100))
def test_events_of_the_last_five_seconds_count_and_none_older_than_ten(steps: list[tuple[float, bool]]) -> None:
    window, now, events = SlidingWindow(), 0.0, list[tuple[float, bool]]()
    for pause_s, stands_out in steps:
        now += pause_s
        window.add(now, marked=int(stands_out))
        events.append((now, stands_out))
        found, marked = window.totals(now)
        for count, chosen in ((found, events), (marked, [each for each in events if each[1]])):
            recent, old = (sum(at > now - age_s for at, _ in chosen) for age_s in (5, 10))
            assert recent <= count <= old
