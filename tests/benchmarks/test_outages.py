"""The judgement of runs with outages, on runs that are written here."""

import random
from collections.abc import Mapping, Sequence
from itertools import islice

import pytest

from benchmarks.outages.callers import LOST, RESULT, SILENT, Attempt, Call, plan
from benchmarks.outages.kinds import Kind, read_kinds
from benchmarks.outages.outage_run import Outage, Plan, Run
from benchmarks.outages.report import LAG_S, find_breaches, find_lag, find_missed_targets, page

CHECK, SAVE, ALERT = read_kinds()
OUTAGE = Outage("replica 1", 10.0, 13.0)


def make(kind: Kind, *outcomes: str, at_s: float = 0.0, took_s: float = 0.01, identity: str = "a") -> Call:
    """Return the call 7 whose attempts had *outcomes*."""
    result = {"data": {"decision_id": identity}, "timestamp": identity} if outcomes[-1] == RESULT else None
    attempts = [Attempt(at_s, took_s, outcome) for outcome in outcomes]
    return Call(kind, 7, 0, at_s, latency_s=took_s, attempts=attempts, result=result)


def judge(
    call: Call, stored: Sequence[str] = (), at_last: Sequence[str] | None = None, repeated: Sequence[Call] = ()
) -> list[str]:
    """Return what is wrong with a run of one call."""
    return list(find_breaches(make_run(call, stored, stored if at_last is None else at_last, repeated)))


def make_run(call: Call, stored: Sequence[str] = (), at_last: Sequence[str] = (), repeated: Sequence[Call] = ()) -> Run:
    def by_tool(found: Sequence[str]) -> Mapping[str, Mapping[str, Sequence[str]]]:
        return {SAVE.tool: {"7": found}, ALERT.tool: {"7": found}}

    return Run(Plan(), None, 10, [call], [OUTAGE], by_tool(stored), repeated, by_tool(at_last))


@pytest.mark.parametrize("kind", [SAVE, ALERT])
def test_an_acknowledged_write_must_be_stored_once_as_it_was_acknowledged(kind: Kind) -> None:
    assert judge(make(kind, RESULT), ["a"]) == []
    for stored in ([], ["b"], ["a", "a"], ["a", "b"]):
        assert judge(make(kind, RESULT), stored), stored


def test_a_write_without_an_acknowledgement_may_be_stored_once() -> None:
    failed, repeated = make(SAVE, "DATABASE_ERROR"), make(SAVE, RESULT)
    for stored in ([], ["a"]):
        assert judge(failed, stored, ["a"], [repeated]) == []
    assert judge(failed, ["a", "b"], ["a", "b"], [repeated])
    assert judge(failed, ["b"], ["a", "b"], [repeated]), "the repetition wrote again"
    assert judge(failed, [], [], [make(SAVE, "DATABASE_ERROR")]), "the repetition failed"


@pytest.mark.parametrize(
    "kind, codes",
    [
        (CHECK, "MCP-003 MCP-004 MCP-013"),
        (ALERT, "MCP-003 MCP-004 MCP-013"),
        (SAVE, "DATABASE_ERROR TIMEOUT OVERLOADED"),
    ],
)
def test_an_attempt_may_have_the_codes_of_an_outage_alone(kind: Kind, codes: str) -> None:
    assert kind.codes == set(codes.split())
    for code in ("MCP-999", "INTERNAL_ERROR", "MCP-001", SILENT):
        (complaint,) = judge(make(kind, code, RESULT), ["a"])
        assert code in complaint


def test_the_proxy_may_answer_while_a_part_is_missing_alone() -> None:
    for outcome in (LOST, "proxy 502", "proxy 503"):
        assert judge(make(CHECK, outcome, at_s=11)) == []
        assert judge(make(CHECK, outcome, at_s=5)) == [
            f"{CHECK.tool} 7: {outcome} while no part was missing, 5.00 s after the begin"
        ]


def test_a_late_answer_breaks_the_deadline_also_during_an_outage() -> None:
    assert judge(make(CHECK, "MCP-003", at_s=11, took_s=0.3)) == []
    assert judge(make(CHECK, "MCP-003", at_s=11, took_s=0.4))
    assert judge(make(CHECK, RESULT, took_s=0.4))


def test_a_target_holds_while_no_part_is_missing() -> None:
    assert list(find_missed_targets(make_run(make(CHECK, RESULT, at_s=5, took_s=0.05)))) == []
    assert list(find_missed_targets(make_run(make(CHECK, RESULT, at_s=5, took_s=0.06))))
    assert list(find_missed_targets(make_run(make(CHECK, RESULT, at_s=11, took_s=0.06)))) == []
    assert list(find_missed_targets(make_run(make(CHECK, "MCP-003", at_s=5)))), "there is no result"


def test_a_run_whose_generator_was_late_does_not_count() -> None:
    call = make(CHECK, RESULT)
    for late_s, complaints in ((LAG_S, 0), (LAG_S + 0.01, 1)):
        call.late_s = late_s
        assert len(list(find_lag(make_run(call)))) == complaints


def test_the_page_counts_attempts_by_outage_and_writes_by_their_end() -> None:
    lines = list(page(make_run(make(ALERT, LOST, "MCP-003", RESULT, at_s=11), ["a"], ["a"])))
    assert (
        "| replica 1 | 3.0 | 0.0 | 1 | 0 | 1 | 10 | 10 | 1 `MCP-003` of `risk.trigger_alert`, 1 `proxy closed` of `risk.trigger_alert` |"
        in lines
    )
    assert lines[-1] == "| `risk.trigger_alert` | 1 | 1 | 0 | 0 | 0 | 0 | 1 |"


def test_calls_are_planned_in_order_at_the_rate_and_by_all_callers() -> None:
    planned = list(islice(plan([CHECK, SAVE], 50, 200), 4000))
    times = [call.intended_s for call in planned]
    assert times == sorted(times)
    assert times[-1] == pytest.approx(20, rel=0.1)
    assert {call.caller for call in planned} == set(range(50))
    assert [call.number for call in random.Random(1).sample(planned, 3)]
    assert {call.kind for call in planned} == {CHECK, SAVE}
