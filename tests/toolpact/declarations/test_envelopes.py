import json
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolpact.declarations.envelopes import CompiledTemplate, EnvelopeValues, extract_values, render
from toolpact.json_values import JsonObject

RETURNS: JsonObject = {
    "type": "object",
    "properties": {
        "metadata": {
            "type": "object",
            "properties": {
                "source": {"const": "moex-iss"},
                "engine": {"enum": ["stock"]},
                "board": {"enum": ["TQBR", "SMAL"]},
                "ticker": {"type": "string"},
                "as_of": {"type": "string"},
            },
        },
        "data": {"type": ["null", "object"]},
        "rows": {"type": "array"},
    },
}


def test_a_placeholder_is_replaced_by_its_value_and_nothing_else_changes() -> None:
    template = {"data": {"$": "result"}, "list": [{"$": "code"}, 1, None], "as": "it is"}
    filled = render(template, EnvelopeValues(values={"result": {"$": "no placeholder"}, "code": "X"}, returns={}))
    assert filled == {"data": {"$": "no placeholder"}, "list": ["X", 1, None], "as": "it is"}


PLACEHOLDER = st.sampled_from(
    [{"$": "result"}, {"$": "source"}, {"$": "empty_of", "at": "/rows"}, {"$": "arguments_in", "at": "/metadata"}]
)
JSON = st.recursive(
    st.none() | st.integers(-(2**70), 2**70) | st.text() | PLACEHOLDER,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab"), inner, max_size=3),
)


@given(JSON)
def test_a_template_that_was_cut_before_is_filled_as_any_other(template: Any) -> None:
    values: JsonObject = {"result": {"a": [1.5, None]}, "source": "ledger"}
    filling = EnvelopeValues(values=values, returns=RETURNS, arguments=lambda: {"ticker": "SBER"})
    stencil = CompiledTemplate(template, {"source": "ledger"})
    assert json.loads(stencil.fill({"result": orjson.dumps(values["result"])}, lambda: filling)) == render(
        template, filling
    )


def test_a_template_with_an_unknown_placeholder_cannot_be_filled() -> None:
    with pytest.raises(KeyError):
        CompiledTemplate({"data": {"$": "nonsense"}}).fill(
            {"result": b"1"}, lambda: EnvelopeValues(values={}, returns={})
        )


def test_the_result_alone_may_be_the_answer() -> None:
    assert render({"$": "result"}, EnvelopeValues(values={"result": {"a": 1}}, returns={})) == {"a": 1}


def test_arguments_in_gives_what_is_known_without_a_result() -> None:
    filling = EnvelopeValues(
        values={}, returns=RETURNS, arguments=lambda: {"ticker": "SBER", "board": "TQBR", "limit": 5}
    )
    assert render({"$": "arguments_in", "at": "/metadata"}, filling) == {
        "source": "moex-iss",
        "engine": "stock",
        "board": "TQBR",
        "ticker": "SBER",
    }


def test_empty_of_is_an_empty_list_where_a_list_would_be() -> None:
    filling = EnvelopeValues(values={}, returns=RETURNS)
    assert render({"$": "empty_of", "at": "/rows"}, filling) == []
    assert render({"$": "empty_of", "at": "/data"}, filling) is None


def test_an_unknown_placeholder_is_an_error() -> None:
    with pytest.raises(KeyError):
        render({"$": "nonsense"}, EnvelopeValues(values={}, returns={}))


NAMES = st.sampled_from(["data", "error", "meta", "rows"])
PLAIN = st.none() | st.booleans() | st.integers() | st.text(max_size=3)
PLACEHOLDERS = st.sampled_from(["result", "code", "cached", "latency_ms"]).map(lambda name: {"$": name})
TEMPLATES = st.recursive(
    PLAIN | PLACEHOLDERS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3)
)
VALUES = st.fixed_dictionaries(dict.fromkeys(("result", "code", "cached", "latency_ms"), PLAIN | st.just({"$": "a"})))


def asked_for(template: Any) -> set[str]:
    """The names of a template's placeholders."""
    if isinstance(template, list):
        return set().union(*map(asked_for, template))
    if not isinstance(template, dict):
        return set()
    return {template["$"]} if "$" in template else asked_for(list(template.values()))


@given(TEMPLATES, VALUES)
def test_reading_gives_back_what_was_filled_in(template: Any, values: JsonObject) -> None:
    filled = render(template, EnvelopeValues(values=values, returns={}))
    assert extract_values(template, filled) == {name: values[name] for name in asked_for(template)}


def test_reading_passes_over_what_is_missing_what_is_more_and_what_was_worked_out() -> None:
    template = {"data": {"$": "result"}, "about": {"cached": {"$": "cached"}}, "as": {"$": "empty_of", "at": "/rows"}}
    assert extract_values(template, {"data": 1, "more": 2, "as": []}) == {"result": 1}
    assert extract_values(template, {"data": 1, "about": "a text"}) == {"result": 1}
    assert extract_values(template, ["data"]) == {}
    assert extract_values([{"$": "code"}, {"$": "message"}], ["X"]) == {"code": "X"}
