"""What each version of the seed's tool can say survives the way to the newest and back."""

import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codegen.compiler import compile_folder
from codegen.diagnostics import ContractProblems, Problem
from tests.versions.generated import RISK, Generated
from toolpact.declarations.tool import OlderVersion
from toolpact.schema.validator import Contract
from toolpact.versioning.step_mapping import Mapping, inverted
from toolpact.versioning.upgrade_path import passages

NAME = "risk.position_limits_check"
CONTRACT = RISK / "contracts" / "platform" / "risk.json"


def values(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Every value of a schema, of the kinds that the tool has."""
    match schema:
        case {"enum": listed}:
            return st.sampled_from(listed)
        case {"type": "boolean"}:
            return st.booleans()
        case {"type": "number"}:
            least, open_end = schema.get("exclusiveMinimum", schema.get("minimum")), "exclusiveMinimum" in schema
            return st.floats(least, schema.get("maximum", 1e9), exclude_min=open_end, allow_nan=False)
        case {"type": "string", "pattern": pattern}:
            return st.from_regex(pattern, fullmatch=True)
        case {"type": "string"}:
            return st.text(st.characters(codec="utf-8"), max_size=schema.get("maxLength", 20))
        case _:
            members = {name: values(part) for name, part in schema["properties"].items()}
            required = {name: part for name, part in members.items() if name in schema["required"]}
            rest = {name: part for name, part in members.items() if name not in required}
            return st.fixed_dictionaries(required, optional=rest)


def older(risk: Generated) -> list[OlderVersion]:
    return list(risk.tool(NAME).versions)


@settings(max_examples=25)
@given(data=st.data())
@pytest.mark.parametrize("index", [0, 1])
def test_every_request_of_an_older_version_is_one_of_the_newest_and_comes_back(
    risk: Generated, index: int, data: st.DataObject
) -> None:
    version, way = older(risk)[index], list(passages(risk.tool(NAME)))[index]
    request = data.draw(values(version.parameters))
    arrived = way.upgraded(request)
    assert jsonschema_rs.validator_for(risk.tool(NAME).parameters).is_valid(arrived)
    back = arrived
    for step in older(risk)[: index + 1]:
        back = Mapping(inverted(step.parameter_steps)).carried(back)
    assert back == Contract(version.parameters).normalised(request)


@settings(max_examples=25)
@given(data=st.data())
@pytest.mark.parametrize("index", [0, 1])
def test_every_result_of_the_newest_is_one_of_an_older_version_and_nothing_of_it_is_lost(
    risk: Generated, index: int, data: st.DataObject
) -> None:
    version, way = older(risk)[index], list(passages(risk.tool(NAME)))[index]
    result = data.draw(values(risk.tool(NAME).returns))
    arrived = way.downgraded(result)
    assert jsonschema_rs.validator_for(version.returns).is_valid(arrived)
    back = arrived
    for step in reversed(older(risk)[: index + 1]):
        back = Mapping(step.result_steps).carried(back)
    assert back == result


def refused(folder: Path, contract: dict[str, Any]) -> list[Problem]:
    """What the compiler has against a contract."""
    path = folder / "platform" / "risk.json"
    path.parent.mkdir()
    path.write_text(json.dumps(contract), encoding="utf-8")
    with pytest.raises(ContractProblems) as caught:
        compile_folder(folder)
    return caught.value.problems


def test_an_instrument_without_a_pattern_cannot_be_carried_to_a_symbol_with_one(tmp_path: Path) -> None:
    contract = json.loads(CONTRACT.read_text(encoding="utf-8"))
    for version in contract["tools"][0]["versions"]:
        version["parameters"]["properties"]["instrument"] = {"type": "string"}
    problems = refused(tmp_path, contract)
    [problem] = problems
    assert problem.rule == "REQUEST_LOST"
    assert '1.1.0 takes {"strategy": ' in problem.sentence
    assert 'at /symbol, "x" does not match "^[A-Z]{3,6}(/[A-Z]{3,6})?$"' in problem.sentence


@pytest.mark.parametrize("side,index", [*(("parameters", index) for index in range(4)), ("returns", 0)])
def test_no_step_of_the_seeds_mapping_can_be_left_out(tmp_path: Path, side: str, index: int) -> None:
    contract = json.loads(CONTRACT.read_text(encoding="utf-8"))
    del contract["tools"][0]["versions"][0]["to_next"][side][index]
    problems = refused(tmp_path, contract)
    lost = "REQUEST_LOST" if side == "parameters" else "RESULT_LOST"
    assert {problem.rule for problem in problems} <= {lost, "STEP_OCCUPIED"}
