"""Compare the contracts with the specification, apart from differences listed with reasons."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.contracts.differences import A_SENTENCE, A_TOOL, ISS, STANDARD_CODES, STRATEGY
from tests.contracts.reading import CONTRACTS, contracts, load

SPECIFICATION = Path(__file__).parent / "specification"
BLOCKS = ("name", "description", "parameters", "returns", "errors", "cache", "pagination")
SERVERS = [("strategy", "tradestream.strategy", STRATEGY), ("iss", "moex.iss", ISS)]
ABSENT = object()


def specification(name: str) -> Any:
    return load(SPECIFICATION / f"{name}.json")


def specified(name: str) -> dict[str, Any]:
    """Return the specification of a server, block by block in the shape of `promised`."""
    specified = specification(name)
    server = {
        key: specified[other] for key, other in (("name", "server"), ("description", "purpose")) if other in specified
    }
    pools = {
        "pools": {specified.get("pool_of", "postgresql"): specified["connection_pool"]}
        if "connection_pool" in specified
        else {}
    }
    tools = {tool["name"]: blocks(tool | specified_tables(tool, specified)) for tool in specified["tools"]}
    return {specified["server"]: server | pools} | tools


def specified_tables(tool: dict[str, Any], specified: dict[str, Any]) -> dict[str, Any]:
    """Return the tables and prose of the specification on a tool."""
    found: dict[str, Any] = {}
    if tool["name"] in specified.get("caching_ttl_s", {}):
        found["cache"] = {"ttl_s": specified["caching_ttl_s"][tool["name"]], "bypass": specified["cache_bypass"]}
    if "pagination" in tool["returns"]["properties"]:
        found["pagination"] = "offset"
    return found


def promised(module: str) -> dict[str, Any]:
    """Return a contract block by block: the server, and its tools by name."""
    contract = contracts()[module]
    of_server = {key: contract["server"][key] for key in ("name", "description")}
    pools = {
        source["kind"]: {key: value for key, value in source.items() if key != "kind" and not isinstance(value, dict)}
        for source in contract["sources"].values()
    }
    tools = {tool["name"]: blocks(tool) for tool in contract["tools"]}
    return {contract["server"]["name"]: of_server | {"pools": pools}} | tools


def blocks(tool: dict[str, Any]) -> dict[str, Any]:
    """The blocks of a tool that the specification knows, errors by their codes."""
    found = {name: tool[name] for name in BLOCKS if name in tool}
    codes = {error["code"]: {k: v for k, v in error.items() if k != "code"} for error in tool.get("errors", [])}
    return found | {"errors": codes}


def differences(theirs: Any, ours: Any, place: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the smallest differences of *ours* from *theirs*: each pointer, and our value."""
    if isinstance(theirs, dict) and isinstance(ours, dict):
        for name in theirs | ours:
            below = f"{place}/{name}" if place else name
            yield from differences(theirs.get(name, ABSENT), ours.get(name, ABSENT), below)
    elif json_text(theirs) != json_text(ours):
        yield place, ours


def json_text(value: Any) -> str:
    return "absent" if value is ABSENT else json.dumps(value)


def explained(ours: Any, expected: Any) -> bool:
    """Return True if an explanation covers *ours*."""
    if expected is A_SENTENCE:
        return isinstance(ours, str) and bool(ours)
    if expected is A_TOOL:
        return isinstance(ours, dict) and "parameters" in ours
    if isinstance(ours, dict) and isinstance(expected, dict):
        return ours.keys() == expected.keys() and all(explained(ours[name], expected[name]) for name in ours)
    return json_text(ours) == json_text(expected)


def judge(found: dict[str, Any], table: dict[str, dict[str, Any]]) -> list[str]:
    """Return complaints: unexplained differences, and explanations without a difference."""
    expected = {place: value for rows in table.values() for place, value in rows.items()}
    unexplained = [
        f"{place} is {json_text(ours)}, and nothing explains it"
        for place, ours in found.items()
        if place not in expected or not explained(ours, expected[place])
    ]
    stale = [f"{place} is explained, and does not differ" for place in expected if place not in found]
    return unexplained + stale


@pytest.mark.parametrize("name,module,table", SERVERS, ids=[name for name, _, _ in SERVERS])
def test_a_contract_differs_from_the_specification_only_where_a_reason_is_given(
    name: str, module: str, table: dict[str, dict[str, Any]]
) -> None:
    assert judge(dict(differences(specified(name), promised(module))), table) == []


@pytest.mark.parametrize("name,module,table", SERVERS, ids=[name for name, _, _ in SERVERS])
def test_no_difference_has_two_reasons(name: str, module: str, table: dict[str, dict[str, Any]]) -> None:
    places = [place for rows in table.values() for place in rows]
    assert len(places) == len(set(places)), f"{name} of {module}"


def test_tools_and_error_codes_have_the_order_of_the_specification() -> None:
    specified, ours = specification("strategy")["tools"], contracts()["tradestream.strategy"]["tools"]
    assert [tool["name"] for tool in ours] == [tool["name"] for tool in specified]
    for theirs, mine in zip(specified, ours, strict=True):
        assert [error["code"] for error in mine["errors"]] == [error["code"] for error in theirs["errors"]]


def test_schemas_of_moex_equal_the_specification() -> None:
    specified, ours = specification("iss")["tools"], contracts()["moex.iss"]["tools"]
    assert [tool["name"] for tool in ours] == [*(tool["name"] for tool in specified), "list_securities"]
    ours = ours[: len(specified)]
    for theirs, mine in zip(specified, ours, strict=True):
        assert json.dumps(mine["parameters"]) == json.dumps(theirs["parameters"])
        assert json.dumps(mine["returns"]) == json.dumps(theirs["returns"])


def test_descriptions_of_moex_tools_start_like_the_specification_and_explain_each_metric() -> None:
    specified, ours = specification("iss")["tools"], contracts()["moex.iss"]["tools"]
    for theirs, mine in zip(specified, ours[: len(specified)], strict=True):
        assert mine["description"].startswith(f"{theirs['description']} ")
        for metric in theirs["returns"]["properties"]["metrics"]["properties"]:
            assert f"{metric} = " in mine["description"]


def test_the_tool_list_of_moex_refers_to_schemas_beside_it() -> None:
    folder = CONTRACTS.parent / "generated" / "moex" / "iss"
    specified_tools = {tool["name"]: tool for tool in specification("iss")["tools"]}
    listed = load(folder / "tools.json")["tools"]
    assert [tool["name"] for tool in listed] == [*specified_tools, "list_securities"]
    for tool in listed[: len(specified_tools)]:
        assert list(tool) == ["name", "description", "input_schema", "output_schema"]
        assert load(folder / tool["input_schema"]["$ref"]) == specified_tools[tool["name"]]["parameters"]
        assert load(folder / tool["output_schema"]["$ref"]) == specified_tools[tool["name"]]["returns"]


def test_standard_codes_are_those_of_the_specification_and_five_more() -> None:
    specified = {"tradestream": {"codes": specification("strategy")["standard_error_codes"]}}
    ours = {"tradestream": {"codes": load(CONTRACTS / "dialects.json")["tradestream"]["codes"]}}
    assert judge(dict(differences(specified, ours)), STANDARD_CODES) == []


def test_metadata_of_a_success_are_the_specifications_and_the_mark_of_a_replay() -> None:
    success = load(CONTRACTS / "dialects.json")["tradestream"]["success"]
    assert list(success) == ["data", "_metadata"]
    # only the result of a repeated call has the mark, so all other answers have the specification's members
    assert list(success["_metadata"]) == [*specification("strategy")["metadata"], "replayed"]


def test_unexplained_differences_and_unneeded_explanations_are_complaints() -> None:
    found = dict(differences({"a": {"b": 1, "d": 1}}, {"a": {"b": 1.5, "c": "text"}}))
    assert found == {"a/b": 1.5, "a/d": ABSENT, "a/c": "text"}
    assert judge(found, {"a reason": {"a/b": 1.5, "a/c": A_SENTENCE, "a/e": True}}) == [
        "a/d is absent, and nothing explains it",
        "a/e is explained, and does not differ",
    ]
    assert judge({"a/b": 1.5}, {"a reason": {"a/b": 2}}) == ["a/b is 1.5, and nothing explains it"]
    assert judge({"a/b": True}, {"a reason": {"a/b": 1}}) == ["a/b is true, and nothing explains it"]
