import io
import json
from pathlib import Path
from typing import Any

import pytest

from toolaccord_codegen.cli.call import forms
from toolaccord_codegen.cli.call.arguments import describe_type, read_arguments
from toolaccord_codegen.diagnostics import CommandError

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "query": {"type": "string"},
        "limit": {"type": "integer"},
        "price": {"type": "number"},
        "fresh": {"type": "boolean"},
        "day": {"type": "string", "format": "date"},
        "side": {"$ref": "#/$defs/Side"},
        "class": {"type": "string", "oneOf": [{"const": "first"}, {"const": "second"}]},
        "tags": {"type": "array", "items": {"type": "string"}},
        "ids": {"type": "array", "items": {"type": "integer"}},
        "note": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "age": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
        "any": {},
        "filter": {
            "type": "object",
            "properties": {
                "min": {"type": "integer"},
                "deep": {"type": "object", "properties": {"on": {"type": "boolean"}}},
            },
            "additionalProperties": False,
        },
        "a.b": {"type": "integer"},
        "counts": {"type": "object", "additionalProperties": {"type": "integer"}},
    },
    "additionalProperties": False,
    "$defs": {"Side": {"type": "string", "enum": ["buy", "sell"]}},
}


def read(*words: str) -> Any:
    return read_arguments(words, "search", SCHEMA)


@pytest.mark.parametrize(
    "words,arguments",
    [
        (["query=7"], {"query": "7"}),
        (["query=a=b:=c d"], {"query": "a=b:=c d"}),
        (["query="], {"query": ""}),
        (["limit=7"], {"limit": 7}),
        (["limit=-7"], {"limit": -7}),
        (["price=1e3"], {"price": 1000.0}),
        (["fresh=true"], {"fresh": True}),
        (["day=2026-11-23"], {"day": "2026-11-23"}),
        (["side=buy"], {"side": "buy"}),
        (["class=second"], {"class": "second"}),
        (["tags=a", "tags=b"], {"tags": ["a", "b"]}),
        (['tags=["a", "b"]'], {"tags": ["a", "b"]}),
        (["ids=1", "ids=2"], {"ids": [1, 2]}),
        (["note=null"], {"note": "null"}),
        (["age=null"], {"age": None}),
        (["any=7"], {"any": "7"}),
        (["any:=7"], {"any": 7}),
        (["filter.min=3", "filter.deep.on=false"], {"filter": {"min": 3, "deep": {"on": False}}}),
        (['filter={"min": 3}'], {"filter": {"min": 3}}),
        (["a.b=3"], {"a.b": 3}),
        (["counts.EURUSD=3"], {"counts": {"EURUSD": 3}}),
        (["limit=1", "limit=2"], {"limit": 2}),
    ],
)
def test_a_word_has_the_type_that_the_schema_gives_it(words: list[str], arguments: Any) -> None:
    assert read(*words) == arguments
    assert list(map(type, read(*words).values())) == list(map(type, arguments.values()))


@pytest.mark.parametrize(
    "words,sentence",
    [
        (["limt=3"], 'search has no argument "limt"; did you mean "limit"?'),
        (["limit=three"], 'limit=three: "three" is no integer'),
        (["limit=1.5"], 'limit=1.5: "1.5" is no integer'),
        (["limit=true"], 'limit=true: "true" is no integer'),
        (["fresh=yes"], 'fresh=yes: "yes" is no boolean'),
        (["side=hold"], 'side=hold: "hold" is none of buy, sell'),
        (["class=third"], 'class=third: "third" is none of first, second'),
        (["ids=x"], 'ids=x: "x" is no integer'),
        (["age=x"], 'age=x: "x" is no integer'),
        (["filter.mni=3"], 'search has no argument "filter.mni"; did you mean "min"?'),
        (["filter.min.x=3"], 'search has no argument "filter.min.x"'),
        (["limit:=x"], "limit:=x is no JSON: Expecting value: line 1 column 1 (char 0); for a text write limit=x"),
        (["joyce"], "'joyce' is no argument; write name=text, name:=JSON, @FILE, or - for standard input"),
        (["@nosuch.json"], "nosuch.json cannot be read: No such file or directory"),
    ],
)
def test_a_mistake_is_a_sentence(words: list[str], sentence: str) -> None:
    with pytest.raises(CommandError) as caught:
        read(*words)
    assert str(caught.value).startswith(sentence)


def test_missing_arguments_are_listed_with_their_types() -> None:
    with pytest.raises(CommandError) as caught:
        read_arguments(["query=x"], "search", SCHEMA | {"required": ["query", "limit", "side"]})
    assert str(caught.value) == "search also needs\n  limit=integer\n  side=buy | sell"


def test_arguments_come_from_a_file_and_from_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "call.json"
    file.write_text(json.dumps({"query": "x", "limit": 1}))
    monkeypatch.setattr("sys.stdin", io.StringIO('{"limit": 2}'))
    assert read(f"@{file}", "-", "fresh=true") == {"query": "x", "limit": 2, "fresh": True}
    for text, fault in (
        ("[1]", "must hold a JSON object"),
        ("{", "holds no JSON"),
        ('{"limt": 1}', 'no argument "limt"'),
    ):
        file.write_text(text)
        with pytest.raises(CommandError, match=fault):
            read(f"@{file}")


def test_a_schema_without_names_or_with_open_ones_takes_any_name() -> None:
    assert read_arguments(["x=1"], "any", {"type": "object"}) == {"x": "1"}
    is_open = {"properties": {"limit": {"type": "integer"}}, "additionalProperties": True}
    assert read_arguments(["x=1"], "any", is_open) == {"x": "1"}


def test_a_schema_that_refers_to_itself_is_read() -> None:
    tree: dict[str, Any] = {"properties": {"node": {"$ref": "#/properties/node"}}}
    assert read_arguments(["node=x"], "any", tree) == {"node": "x"}
    assert describe_type(tree, tree["properties"]["node"]) == "value"


@pytest.mark.parametrize("text, value", [("y", True), ("Yes", True), ("n", False), ("true", True)])
def test_a_question_for_yes_or_no_takes_one_letter(text: str, value: bool, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: FBT001
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{text}\n{text}\n"))
    schema = {"properties": {"sure": {"type": "boolean"}, "name": {"type": "string"}}, "required": ["sure", "name"]}
    assert forms._read_form(schema) == {"sure": value, "name": text}
