"""Classes as another compiler makes them: datamodel-code-generator reads the same schemas, and must mean the same by them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from codegen.compiler import compile_folder
from codegen.emit.classes import HOMES
from codegen.emit.model_schemas import ModelSchemas
from codegen.emit.models import server_schemas, shared_schemas
from codegen.loading.documents import Document
from codegen.loading.references import SchemaLibrary
from codegen.naming import PYDANTICS
from tests.codegen.oracle import differences

TESTS = Path(__file__).parents[1]
CASES = TESTS / "codegen" / "cases"
KEPT = sorted({path.relative_to(CASES).parts[0] for path in CASES.glob("*/expected/**/models.py.txt")})
"""The golden cases that say which models come out."""
FOLDERS = [
    TESTS.parent / "contracts",
    TESTS / "versions" / "risk" / "contracts",
    *(CASES / name / "contracts" for name in KEPT),
]
DEFS = {
    "Part": {"type": "object", "properties": {"x": {"type": "integer"}}, "additionalProperties": False},
    "Amount": {"type": "number", "minimum": 0, "description": "So much"},
}
"""What the schemas that are made up refer to."""
NESTED = {"type": "object", "properties": {"x": {"type": "integer"}}, "additionalProperties": True}
KNOWN: dict[str, dict[str, Any]] = {
    "Pydantic warns of a field whose name begins so, and the library appends an underscore, which leaves it so": {
        "model_dump": {"type": "string"},
        "model_validate_all": {"type": "string"},
    },
    "Where a field would hide its own type, the library renames the field, and we what the type is called": {
        "str": {"type": "string"},
        "int": {"type": "integer"},
        "float": {"type": "number"},
        "bool": {"type": "boolean"},
        "list": {"type": "array"},
    },
    "Python reads such letters as plainer ones, which we write; the library leaves them, or puts an underscore": {
        "ﬁ": {"type": "string"},
        "x²": {"type": "string"},
    },
    "A field that is called like a class hides it from the fields below": {"Whole": {"type": "integer"}},
    "A class made for such a member ends in an underscore, which the library takes for noise": {"None": NESTED},
    "A required member has no default, and so none to be validated": {
        "a day that must be said": {"type": "string", "format": "date", "default": "2026-01-31"}
    },
}
"""Members about which we and the library differ, by the reason."""
UNLIKE = frozenset(name for members in KNOWN.values() for name in members)

SCALARS: st.SearchStrategy[dict[str, Any]] = st.sampled_from(
    [
        {},
        {"$ref": "#/$defs/Part"},
        {"$ref": "#/$defs/Amount"},
        {"const": 'a "b" \\'},
        {"enum": ["a long one " * 20, 1, True, None, "é\n"]},
        {"type": "boolean"},
        {"type": "integer", "exclusiveMinimum": 0.0, "maximum": 300, "maxLength": 3},
        {"type": "integer", "enum": [1.0, 2]},
        {"type": "null"},
        {"type": "number", "maximum": 1.5},
        {"type": "string", "format": "date"},
        {"type": "string", "format": "date-time"},
        {"type": "string", "format": "uuid"},
        {"type": "string", "minLength": 1, "maxLength": 9.0, "minimum": 1},
        {"type": ["number", "integer", "null"]},
        {"type": ["string", "null"], "format": "date"},
    ]
)
PLAIN = {"boolean": True, "integer": 5.0, "number": 270, "string": 'x "y" ' * 20, "array": [], "object": {"x": 1}}
"""A default for each type."""
ODD = ["a b", "a_b", "class", "from", "from_", "24h", "_", "__x", "", "#", "é", "日本", "\u2028", "$ref", "{{x}}"]
NAMES = st.sampled_from([*ODD, *sorted({*HOMES, *PYDANTICS} - UNLIKE)])
TEXTS = st.sampled_from(
    ["A word", 'says "so"', '"', "ends \\", "two\n\nlines", 'a """ b', "{{ x }} {% y %}", "word " * 60, "'''"]
)


def grown(parts: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    """Schemas that hold others."""
    arrays: list[dict[str, Any]] = [{"type": "array", "minItems": 1, "maxLength": 2}, {"type": ["array", "null"]}]
    return st.one_of(
        st.builds(lambda whole, items: whole | {"items": items}, st.sampled_from(arrays), parts),
        st.builds(lambda others: {"type": "object", "additionalProperties": others}, parts | st.just(True)),
        st.builds(lambda key, each: {key: each}, st.sampled_from(["anyOf", "oneOf"]), st.lists(parts, min_size=1)),
        objects(parts),
    )


@st.composite
def objects(draw: st.DrawFn, parts: st.SearchStrategy[dict[str, Any]]) -> dict[str, Any]:
    """Schemas of objects, whose members have descriptions, and defaults where they are optional."""
    members = draw(st.dictionaries(NAMES, parts, max_size=6))
    required = [name for name in members if draw(st.booleans())]
    for name, schema in members.items():
        said: dict[str, Any] = {"description": draw(TEXTS)} if draw(st.booleans()) else {}
        kind = str(schema.get("type"))
        if name not in required and kind in PLAIN and not schema.keys() & {"enum", "format"}:
            said |= {"default": PLAIN[kind]} if draw(st.booleans()) else {}
        members[name] = schema | said
    return {
        "type": "object",
        "description": draw(TEXTS),
        "properties": members,
        "required": required,
        "additionalProperties": draw(st.booleans()),
    }


def prepared(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schemas of the classes that a schema needs, its own called Whole."""
    document = Document("made/up.json", "made/up.json", "", {"$defs": DEFS})
    schemas = ModelSchemas(SchemaLibrary({document.name: document}), document, None, frozenset({"Whole", *DEFS}))
    schemas.add("Whole", document, schema)
    return schemas.found


def modules(folder: Path) -> Iterator[dict[str, Any]]:
    """For each module of models of a folder of contracts, the schemas of its classes."""
    contracts = compile_folder(folder)
    if shared := shared_schemas(contracts.library).found:
        yield shared
    for contract in contracts.contracts:
        yield server_schemas(contracts.library, contract, "made").found


AN_OBJECT = {"type": "object", "description": "Whole", "required": [], "additionalProperties": False}


@pytest.mark.filterwarnings("ignore:Field .* conflicts with protected namespace:UserWarning")
@pytest.mark.parametrize("folder", FOLDERS, ids=["ours", "risk", *KEPT])
def test_another_compiler_makes_the_same_classes_of_every_contract(folder: Path) -> None:
    found = {place: said for schemas in modules(folder) for place, said in differences(schemas).items()}
    assert {place: said for place, said in found.items() if place.partition("/")[2] not in UNLIKE} == {}


@given(objects(st.recursive(SCALARS, grown, max_leaves=6)))
@example(AN_OBJECT | {"properties": {"bounded by what bounds texts": {"type": "integer", "maxLength": 3}}})
@settings(max_examples=30, derandomize=True, suppress_health_check=[HealthCheck.too_slow])  # the same on every machine
def test_another_compiler_makes_the_same_classes_of_schemas_that_are_made_up(schema: dict[str, Any]) -> None:
    assert differences(prepared(schema)) == {}


@pytest.mark.filterwarnings("ignore:Field .* conflicts with protected namespace:UserWarning")
@pytest.mark.parametrize("members", KNOWN.values(), ids=KNOWN.keys())
def test_what_is_known_to_differ_still_does(members: dict[str, Any]) -> None:
    found = differences(prepared(AN_OBJECT | {"properties": members, "required": [*members]}))
    assert {place.removeprefix("Whole/") for place in found} >= members.keys()
