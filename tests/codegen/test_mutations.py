"""Fuzz tests of the compiler: a contract compiles, or has problems inside its file."""

import json
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from toolaccord_codegen.cli.rules import ACCEPTABLE_RULES
from toolaccord_codegen.compiler import Contracts, compile_folder
from toolaccord_codegen.diagnostics import ContractProblems, Problem
from toolaccord_codegen.emit.render import render_tree
from toolaccord_codegen.ir.layout import Layout
from toolaccord_codegen.rules.metaschema import load_metaschema

CONTRACTS = Path(__file__).parents[2] / "contracts"
VERSIONS = Path(__file__).parents[1] / "versions" / "risk" / "contracts"
PLACES = {
    "shared.json": CONTRACTS / "shared.json",
    "dialects.json": CONTRACTS / "dialects.json",
    "agents/signal_generator.json": CONTRACTS / "agents/signal_generator.json",
    "agents/signals.json": CONTRACTS / "agents/signals.json",
    "tradestream/market_data.json": CONTRACTS / "tradestream/market_data.json",
    "tradestream/strategy.json": CONTRACTS / "tradestream/strategy.json",
    "moex/iss.json": CONTRACTS / "moex/iss.json",
    "platform/risk.json": VERSIONS / "platform/risk.json",
}
FILES = list(PLACES)
ORIGINALS = {name: path.read_text(encoding="utf-8") for name, path in PLACES.items()}
EVERYWHERE = {"shared.json", "dialects.json"}
TOGETHER = {"agents/signal_generator.json", "tradestream/market_data.json", "tradestream/strategy.json"}
"""An agent and the servers that it uses."""
LAYOUT = Layout(package="acme", handlers="acme_handlers", sandbox=None, contracts="contracts", command="again")


def list_keywords(schema: Any) -> Iterator[str]:
    """List every key of the contract language."""
    if isinstance(schema, dict):
        yield from schema.get("properties", {})
        for part in schema.values():
            yield from list_keywords(part)


KEYS = sorted(
    {*list_keywords(load_metaschema()), "", "$", "x-note", "$defs", "unknown", "a/b~c", "24h", "class", "\u2028"}
)
ODD_VALUES: list[Any] = [
    None, True, False, 0, -1, 5.0, 0.5, 1e308, 2**63 - 1, "", " ", "x", "$", "a.b", "/", "/symbol", "\u0000", '"""\\',
    "#/$defs/Strategy", "../shared.json#/$defs/Pagination", "#/$defs/Strategy/properties/name", "#/$defs", "#", "http://localhost/a",
    "object", "string", "array", "null", "date-time", "P1D", "STRATEGY_ERROR", "int", "[", "(?P<a>b)", "1.0.0", "/side", "/a/*/b", "2026-02-30",
    [], [None], [[]], ["/symbol", "/limit"], ["object", "null"], ["string", "integer"], [{"type": "null"}],
    {}, {"": {}}, {"$": "result"}, {"type": "object"}, {"$ref": "#/$defs/Strategy"}, {"type": ["object", "null"], "properties": {"a b": {}, "a_b": {}}},
    {"anyOf": [{"type": "object", "properties": {"a": {"const": 1.5}}}, {"enum": [None, "a", {"b": 1}]}]}, {"default": "2026-01-01", "format": "date"},
]  # fmt: skip


def list_paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """List the path of every value inside a value."""
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, member in members:
        yield (*path, key)
        yield from list_paths(member, (*path, key))


@st.composite
def draw_mutated(draw: st.DrawFn, name: str) -> Any:
    """Draw a real contract file with a few values deleted, replaced, moved or inserted."""
    value = json.loads(ORIGINALS[name])
    for _ in range(draw(st.integers(1, 3))):
        path = draw(st.sampled_from(list(list_paths(value)) or [()]))
        if not path:
            return value
        holder = get_value(value, path[:-1])
        odd = draw(
            st.sampled_from(ODD_VALUES)
            | st.sampled_from(list(list_paths(value))).map(lambda other: get_value(value, other))
        )
        mutate(holder, path[-1], deepcopy(odd), draw(st.sampled_from(["delete", "replace", *KEYS])))
    return value


def get_value(value: Any, path: tuple[Any, ...]) -> Any:
    """Return the value at a path."""
    for key in path:
        value = value[key]
    return value


def mutate(holder: Any, key: Any, odd: Any, how: str) -> None:
    """Delete or replace a member, or insert one; *how* is the key of a member to insert."""
    if how == "delete":
        del holder[key]
    elif how == "replace":
        holder[key] = odd
    elif isinstance(holder, dict):
        holder[how] = odd
    else:
        holder.insert(key, odd)


@st.composite
def draw_folders(draw: st.DrawFn) -> dict[str, str]:
    """Draw one or two mutated files of the contracts folder."""
    names = draw(st.lists(st.sampled_from(FILES), min_size=1, max_size=2, unique=True))
    return {name: json.dumps(draw(draw_mutated(name)), indent=draw(st.sampled_from([None, 2]))) for name in names}


@st.composite
def draw_torn(draw: st.DrawFn) -> dict[str, str]:
    """Draw a file of the contracts folder with a piece of its text lost or replaced."""
    name = draw(st.sampled_from(FILES))
    text = ORIGINALS[name]
    start = draw(st.integers(0, len(text) - 1))
    end = draw(st.integers(start, min(len(text), start + 40)))
    piece = draw(st.sampled_from(["", '"', "{", "}", "[", ",", "\\", "\\ud800", "9" * 30, "null", "\u2028", "\ufeff"]))
    return {name: text[:start] + piece + text[end:]}


def fill_folder(changed: dict[str, str], *others: str) -> dict[str, str]:
    """Return the contents of the contracts folder with changed files and some others.

    It lacks servers and agents that no change can concern.
    """
    if EVERYWHERE.isdisjoint(changed):
        names = {*changed, *others, *EVERYWHERE, *(() if TOGETHER.isdisjoint(changed) else TOGETHER)}
        return {name: changed.get(name, text) for name, text in ORIGINALS.items() if name in names}
    return ORIGINALS | changed


def assert_problems_are_inside(changed: dict[str, str], *, render: bool) -> list[Problem]:
    """Compile the contracts with some files changed, and return the problems.

    Asserts that each problem is inside its file.
    """
    texts = fill_folder(changed)
    with TemporaryDirectory() as folder:
        for name, text in texts.items():
            path = Path(folder, name)
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(text.encode())
        problems, contracts = compile_contracts(Path(folder))
        for problem in problems:
            assert_inside(problem, Path(folder), texts)
        assert problems == sorted(set(problems))
        if render and contracts:
            for path_name, text in render_tree(contracts, LAYOUT).items():
                if path_name.endswith(".py"):
                    compile(text, path_name, "exec")
        return problems


def compile_contracts(folder: Path) -> tuple[list[Problem], Contracts | None]:
    """Compile a folder; return its problems or its contracts."""
    try:
        return [], compile_folder(folder, acceptable=ACCEPTABLE_RULES)
    except ContractProblems as error:
        return error.problems, None


def assert_inside(problem: Problem, folder: Path, texts: dict[str, str]) -> None:
    """Assert that a problem names a position inside its file."""
    lines = texts[Path(problem.path).relative_to(folder.resolve()).as_posix()].removeprefix("\ufeff").split("\n")
    assert 1 <= problem.line <= len(lines)
    assert 1 <= problem.column <= len(lines[problem.line - 1]) + 1
    assert problem.sentence
    assert "\n" not in str(problem)


@settings(max_examples=100, suppress_health_check=list(HealthCheck))
@given(draw_folders())
def test_a_mutated_contract_compiles_or_is_rejected_at_positions_inside_its_file(texts: dict[str, str]) -> None:
    assert_problems_are_inside(texts, render=False)


@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(draw_torn())
def test_a_torn_file_is_rejected_at_a_position_inside_it(texts: dict[str, str]) -> None:
    assert_problems_are_inside(texts, render=False)


@settings(max_examples=10, suppress_health_check=list(HealthCheck))
@given(draw_folders())
def test_every_contract_that_compiles_is_rendered_as_python(texts: dict[str, str]) -> None:
    assert_problems_are_inside(texts, render=True)


def test_the_contracts_themselves_have_no_problems() -> None:
    assert assert_problems_are_inside(ORIGINALS, render=True) == []


@pytest.mark.parametrize("name", FILES)
def test_an_empty_file_is_rejected_at_its_start(name: str) -> None:
    found = assert_problems_are_inside({name: ""}, render=False)
    assert any((problem.line, problem.column, problem.rule) == (1, 1, "JSON_SYNTAX") for problem in found)


@pytest.mark.parametrize("odd", [{"type": None}, {"type": [{"type": "null"}]}, {"format": []}, {"type": 5, "enum": 5}])
def test_an_invalid_schema_of_a_place_that_a_view_shows_is_rejected(odd: dict[str, Any]) -> None:
    shared = json.loads(ORIGINALS["shared.json"])
    shared["$defs"]["TradingPair"] |= odd
    assert assert_problems_are_inside({"shared.json": json.dumps(shared)}, render=False)


def test_an_invalid_type_of_an_argument_in_a_condition_is_rejected() -> None:
    contract = json.loads(ORIGINALS["tradestream/strategy.json"])
    tool = contract["tools"][0]
    tool["parameters"]["properties"]["limit"]["type"] = [{"type": "null"}]
    tool["conditions"] = [{"ordered": ["/offset", "/limit"], "code": "INVALID_PARAMETER"}]
    found = assert_problems_are_inside({"tradestream/strategy.json": json.dumps(contract)}, render=False)
    assert any(problem.rule == "WRONG_SHAPE" for problem in found)
