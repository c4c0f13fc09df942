import json
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolaccord.declarations.envelopes import CompiledTemplate, extract_values
from toolaccord.json_values import JsonObject
from toolaccord.semantics.envelope_values import EnvelopeValues, render

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
def test_a_compiled_template_gives_what_render_gives(template: Any) -> None:
    values: JsonObject = {"result": {"a": [1.5, None]}, "source": "ledger"}
    envelope = EnvelopeValues(values=values, returns=RETURNS, arguments=lambda: {"ticker": "SBER"})
    compiled = CompiledTemplate(template, {"source": "ledger"})
    assert json.loads(compiled.fill({"result": orjson.dumps(values["result"])}, lambda: envelope)) == render(
        template, envelope
    )


def test_a_template_with_an_unknown_placeholder_cannot_be_filled() -> None:
    with pytest.raises(KeyError):
        CompiledTemplate({"data": {"$": "nonsense"}}).fill(
            {"result": b"1"}, lambda: EnvelopeValues(values={}, returns={})
        )


def test_an_envelope_may_be_the_result_alone() -> None:
    assert render({"$": "result"}, EnvelopeValues(values={"result": {"a": 1}}, returns={})) == {"a": 1}


def test_arguments_in_gives_what_is_known_without_a_result() -> None:
    envelope = EnvelopeValues(
        values={}, returns=RETURNS, arguments=lambda: {"ticker": "SBER", "board": "TQBR", "limit": 5}
    )
    assert render({"$": "arguments_in", "at": "/metadata"}, envelope) == {
        "source": "moex-iss",
        "engine": "stock",
        "board": "TQBR",
        "ticker": "SBER",
    }


def test_empty_of_is_an_empty_list_where_a_list_would_be() -> None:
    envelope = EnvelopeValues(values={}, returns=RETURNS)
    assert render({"$": "empty_of", "at": "/rows"}, envelope) == []
    assert render({"$": "empty_of", "at": "/data"}, envelope) is None


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


def placeholders(template: Any) -> set[str]:
    """Return the names of a template's placeholders."""
    if isinstance(template, list):
        return set().union(*map(placeholders, template))
    if not isinstance(template, dict):
        return set()
    return {template["$"]} if "$" in template else placeholders(list(template.values()))


@given(TEMPLATES, VALUES)
def test_extraction_is_the_inverse_of_rendering(template: Any, values: JsonObject) -> None:
    filled = render(template, EnvelopeValues(values=values, returns={}))
    assert extract_values(template, filled) == {name: values[name] for name in placeholders(template)}


def test_extraction_ignores_missing_and_additional_members_and_derived_values() -> None:
    template = {"data": {"$": "result"}, "about": {"cached": {"$": "cached"}}, "as": {"$": "empty_of", "at": "/rows"}}
    assert extract_values(template, {"data": 1, "more": 2, "as": []}) == {"result": 1}
    assert extract_values(template, {"data": 1, "about": "a text"}) == {"result": 1}
    assert extract_values(template, ["data"]) == {}
    assert extract_values([{"$": "code"}, {"$": "message"}], ["X"]) == {"code": "X"}
