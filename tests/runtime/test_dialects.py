import pytest

from runtime.dialects import Filling, render
from runtime.values import JsonObject

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
    filled = render(template, Filling(values={"result": {"$": "no placeholder"}, "code": "X"}, returns={}))
    assert filled == {"data": {"$": "no placeholder"}, "list": ["X", 1, None], "as": "it is"}


def test_the_result_alone_may_be_the_answer() -> None:
    assert render({"$": "result"}, Filling(values={"result": {"a": 1}}, returns={})) == {"a": 1}


def test_arguments_in_gives_what_is_known_without_a_result() -> None:
    filling = Filling(values={}, returns=RETURNS, arguments=lambda: {"ticker": "SBER", "board": "TQBR", "limit": 5})
    assert render({"$": "arguments_in", "at": "/metadata"}, filling) == {
        "source": "moex-iss",
        "engine": "stock",
        "board": "TQBR",
        "ticker": "SBER",
    }


def test_empty_of_is_an_empty_list_where_a_list_would_be() -> None:
    filling = Filling(values={}, returns=RETURNS)
    assert render({"$": "empty_of", "at": "/rows"}, filling) == []
    assert render({"$": "empty_of", "at": "/data"}, filling) is None


def test_an_unknown_placeholder_is_an_error() -> None:
    with pytest.raises(KeyError):
        render({"$": "nonsense"}, Filling(values={}, returns={}))
