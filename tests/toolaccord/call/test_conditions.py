from datetime import timedelta

import pytest

from toolaccord.call.conditions import broken_conditions
from toolaccord.json_values import JsonObject
from toolaccord.semantics.conditions import Condition, Ordered, Span

LOOSE = Ordered(pointers=("/a", "/b"), strict=False, code="ORDER")
STRICT = Ordered(pointers=("/a", "/b"), strict=True, code="ORDER")
SPAN = Span(pointers=("/a", "/b"), at_most=timedelta(days=730), code="SPAN")


def codes(rule: Condition, arguments: JsonObject) -> list[str]:
    return [code for code, _ in broken_conditions([rule], arguments)]


@pytest.mark.parametrize(
    "first,second",
    [(1, 2), (1.5, 2), ("2026-01-01", "2026-01-02"), ("2026-01-01T12:00:00Z", "2026-01-01T14:30:00+02:00")],
)
def test_order_holds_for_numbers_dates_and_times(first: object, second: object) -> None:
    assert codes(STRICT, {"a": first, "b": second}) == []
    assert codes(LOOSE, {"a": second, "b": first}) == ["ORDER"]


def test_equal_operands_break_only_a_strict_condition() -> None:
    assert codes(LOOSE, {"a": "2026-01-01", "b": "2026-01-01"}) == []
    assert codes(STRICT, {"a": "2026-01-01T00:00:00Z", "b": "2026-01-01T03:00:00+03:00"}) == ["ORDER"]


def test_a_condition_with_an_absent_operand_holds() -> None:
    assert broken_conditions([STRICT, SPAN], {"a": "2026-01-01"}) == []
    assert broken_conditions([STRICT, SPAN], {"b": None, "a": "2026-01-01"}) == []


def test_a_span_may_be_as_long_as_its_limit() -> None:
    assert codes(SPAN, {"a": "2024-01-01", "b": "2025-12-31"}) == []
    assert codes(SPAN, {"a": "2024-01-01", "b": "2026-01-01"}) == ["SPAN"]


def test_operands_may_be_nested() -> None:
    rule = Ordered(pointers=("/x/a~1b", "/y"), strict=False, code="ORDER")
    assert codes(rule, {"x": {"a/b": 2}, "y": 1}) == ["ORDER"]
    assert codes(rule, {"x": 5, "y": 1}) == []


def test_a_sentence_names_both_operands() -> None:
    ((_, order),) = broken_conditions([STRICT], {"a": 2, "b": 2})
    ((_, span),) = broken_conditions([SPAN], {"a": "2000-01-01", "b": "2026-01-01"})
    assert order.sentence == "/a must be before /b"
    assert span.sentence == "/b must be within 730 days of /a"
