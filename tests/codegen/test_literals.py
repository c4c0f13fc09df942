"""Values as Python expressions in generated files."""

from __future__ import annotations

from dataclasses import fields
from datetime import date, timedelta
from typing import Any, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolaccord.contract.agents import IfMissing, Metric, Model, Queue, SharedCache
from toolaccord.contract.policies import CacheHint, CachePolicy, Idempotency, RateLimit
from toolaccord.contract.settings import Setting
from toolaccord.semantics.conditions import Ordered, Span
from toolaccord_codegen.loading.record_keys import LANGUAGE_NAMES
from toolaccord_codegen.naming import NameReference, format_literal

CLASSES = [
    CacheHint,
    CachePolicy,
    Idempotency,
    IfMissing,
    Metric,
    Model,
    Ordered,
    Queue,
    RateLimit,
    Setting,
    SharedCache,
    Span,
]
NAMES: dict[str, Any] = {"date": date, "timedelta": timedelta} | {each.__name__: each for each in CLASSES}
"""The names that a generated module imports."""
NUMBERS = st.floats(allow_nan=False, allow_infinity=False) | st.integers()
SCALARS = st.none() | st.booleans() | NUMBERS | st.text()
VALUES = st.recursive(
    SCALARS | st.dates() | st.timedeltas(timedelta(days=-3650), timedelta(days=3650)),
    lambda items: st.lists(items) | st.lists(items).map(tuple) | st.dictionaries(st.text(), items),
)


def build(record: Any, **given: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Return the strategy of a record of the language; annotations give fields not *given*."""
    hints = get_type_hints(record, localns=LANGUAGE_NAMES)
    others = {each.name: st.from_type(hints[each.name]) for each in fields(record) if each.name not in given}
    return st.builds(record, **others, **given)


RECORDS = st.one_of(
    build(CacheHint, ttl_s=NUMBERS),
    build(
        CachePolicy,
        ttl_s=NUMBERS,
        precision=st.dictionaries(st.text(), st.sampled_from(["second", "minute", "hour", "day"])),
        provisional_ttl_s=st.none() | NUMBERS,
        memory_ttl_s=st.none() | NUMBERS,
    ),
    build(Idempotency),
    build(IfMissing, confidence_penalty=NUMBERS),
    build(Metric, buckets=st.lists(NUMBERS).map(tuple), labels=st.dictionaries(st.text(), st.text())),
    build(Model),
    build(Ordered),
    build(Queue),
    build(RateLimit),
    build(Setting, schema=st.dictionaries(st.text(), SCALARS), default=SCALARS),
    build(SharedCache),
    build(Span, at_most=st.timedeltas(timedelta(0), timedelta(days=3650))),
)


@given(VALUES | RECORDS | st.lists(RECORDS).map(tuple))
def test_a_literal_is_read_by_python_as_the_same_value(value: Any) -> None:
    read = eval(format_literal(value), dict(NAMES))

    assert repr(read) == repr(value)


@pytest.mark.parametrize(
    "value, text",
    [
        (RateLimit(calls=3, window_s=60), "RateLimit(calls=3, window_s=60)"),
        (RateLimit(calls=3, window_s=60, store="bus"), "RateLimit(calls=3, window_s=60, store='bus')"),
        (
            Setting(name="url", env="URL", description="An address", schema={"type": "string"}, required=True),
            "Setting(name='url', env='URL', description='An address', schema={'type': 'string'}, required=True,)",
        ),
        (CachePolicy(ttl_s=5), "CachePolicy(ttl_s=5)"),
    ],
)
def test_a_record_names_the_fields_that_differ_from_their_default(value: Any, text: str) -> None:
    assert format_literal(value) == text


def test_a_default_of_another_type_is_written_although_it_is_equal() -> None:
    setting = Setting(name="n", env="N", description="A number", schema={}, required=0)  # type: ignore[arg-type]

    assert "required=0" in format_literal(setting)


def test_a_reference_stands_in_a_record_as_a_name() -> None:
    setting = Setting(name="n", env="N", description="A number", schema=NameReference("schemas.N"))  # type: ignore[arg-type]

    assert "schema=schemas.N" in format_literal(setting)
