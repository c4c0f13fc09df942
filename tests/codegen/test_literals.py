"""Values as Python expressions in generated files."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolaccord.semantics.agents import IfMissing, Metric, Model, Queue, SharedCache
from toolaccord.semantics.conditions import Ordered, Span
from toolaccord.semantics.policies import CacheHint, CachePolicy, Idempotency, RateLimit
from toolaccord.semantics.settings import Setting
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
RECORDS = st.one_of(
    st.builds(CacheHint, ttl_s=NUMBERS),
    st.builds(
        CachePolicy,
        ttl_s=NUMBERS,
        precision=st.dictionaries(st.text(), st.sampled_from(["second", "minute", "hour", "day"])),
        provisional_ttl_s=st.none() | NUMBERS,
        store=...,
        memory_ttl_s=st.none() | NUMBERS,
    ),
    st.builds(Idempotency, store=...),
    st.builds(IfMissing, confidence_penalty=NUMBERS),
    st.builds(
        Metric, value=..., buckets=st.lists(NUMBERS).map(tuple), when=..., labels=st.dictionaries(st.text(), st.text())
    ),
    st.builds(Model),
    st.builds(Ordered),
    st.builds(Queue),
    st.builds(RateLimit, store=...),
    st.builds(Setting, schema=st.dictionaries(st.text(), SCALARS), default=SCALARS, required=..., secret=...),
    st.builds(SharedCache),
    st.builds(Span, at_most=st.timedeltas(timedelta(0), timedelta(days=3650))),
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
        (CachePolicy(ttl_s=5, bypass=None), "CachePolicy(ttl_s=5, bypass=None)"),
    ],
)
def test_a_record_names_the_fields_that_differ_from_their_default(value: Any, text: str) -> None:
    assert format_literal(value) == text


def test_a_default_of_another_type_is_written_although_it_is_equal() -> None:
    setting = Setting(name="n", env="N", description="A number", schema={}, required=0)  # type: ignore[arg-type]

    assert "required=0" in format_literal(setting)


def test_a_reference_stands_in_a_record_as_a_name() -> None:
    setting = Setting(name="n", env="N", description="A number", schema=NameReference("schemas.N"))  # type: ignore[arg-type]

    assert "schema=schemas.N," in format_literal(setting)
