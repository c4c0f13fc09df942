"""Convert requests and results of the specification's tool to the newest version and back."""

import asyncio
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.versions.risk_server import RISK, GeneratedServer
from toolaccord.declarations.operation import OlderVersion
from toolaccord.schema.validator import SchemaValidator
from toolaccord.semantics.version_steps import Step, StepMapping, invert
from toolaccord.versioning.upgrade_path import upgrade_paths
from toolaccord_codegen.compiler import compile_folder
from toolaccord_codegen.diagnostics import ContractProblems, Problem

NAME = "risk.position_limits_check"
CONTRACT = RISK / "contracts" / "platform" / "risk.json"


def values_of(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Generate values of a schema of the kinds that the tool has."""
    match schema:
        case {"enum": choices}:
            return st.sampled_from(choices)
        case {"type": "boolean"}:
            return st.booleans()
        case {"type": "number"}:
            minimum, open_end = schema.get("exclusiveMinimum", schema.get("minimum")), "exclusiveMinimum" in schema
            return st.floats(minimum, schema.get("maximum", 1e9), exclude_min=open_end, allow_nan=False)
        case {"type": "string", "pattern": pattern}:
            return st.from_regex(pattern, fullmatch=True)
        case {"type": "string"}:
            return st.text(st.characters(codec="utf-8"), max_size=schema.get("maxLength", 20))
        case _:
            members = {name: values_of(part) for name, part in schema["properties"].items()}
            required = {name: part for name, part in members.items() if name in schema["required"]}
            optional = {name: part for name, part in members.items() if name not in required}
            return st.fixed_dictionaries(required, optional=optional)


def convert(steps: Iterable[Step], value: Any) -> Any:
    mapping = StepMapping(steps)
    return mapping.insert(*mapping.extract(value))


def older_versions(risk: GeneratedServer) -> list[OlderVersion]:
    return list(risk.tool(NAME).versions)


@settings(max_examples=25)
@given(data=st.data())
@pytest.mark.parametrize("index", [0, 1])
def test_every_older_request_upgrades_to_a_valid_one_and_back(
    risk: GeneratedServer, index: int, data: st.DataObject
) -> None:
    version, path = older_versions(risk)[index], list(upgrade_paths(risk.tool(NAME)))[index]
    request = data.draw(values_of(version.parameters))
    converted = asyncio.run(path.upgrade(request, None))
    assert jsonschema_rs.validator_for(risk.tool(NAME).parameters).is_valid(converted)
    restored = converted
    for step in older_versions(risk)[: index + 1]:
        restored = convert(invert(step.parameter_steps), restored)
    assert restored == SchemaValidator(version.parameters).normalise(request)


@settings(max_examples=25)
@given(data=st.data())
@pytest.mark.parametrize("index", [0, 1])
def test_every_newest_result_downgrades_to_a_valid_one_and_back(
    risk: GeneratedServer, index: int, data: st.DataObject
) -> None:
    version, path = older_versions(risk)[index], list(upgrade_paths(risk.tool(NAME)))[index]
    result = data.draw(values_of(risk.tool(NAME).returns))
    converted = asyncio.run(path.downgrade(result, None))
    assert jsonschema_rs.validator_for(version.returns).is_valid(converted)
    restored = converted
    for step in reversed(older_versions(risk)[: index + 1]):
        restored = convert(step.result_steps, restored)
    assert restored == result


def compile_problems(folder: Path, contract: dict[str, Any]) -> list[Problem]:
    """Return the problems that the compiler reports for a contract."""
    path = folder / "platform" / "risk.json"
    path.parent.mkdir()
    path.write_text(json.dumps(contract), encoding="utf-8")
    with pytest.raises(ContractProblems) as caught:
        compile_folder(folder)
    return caught.value.problems


def test_an_instrument_without_a_pattern_cannot_become_a_symbol_with_one(tmp_path: Path) -> None:
    contract = json.loads(CONTRACT.read_text(encoding="utf-8"))
    for version in contract["tools"][0]["versions"]:
        version["parameters"]["properties"]["instrument"] = {"type": "string"}
    problems = compile_problems(tmp_path, contract)
    [problem] = problems
    assert problem.rule == "REQUEST_LOST"
    assert '1.1.0 accepts {"strategy": ' in problem.sentence
    assert 'at /symbol, "x" does not match "^[A-Z]{3,6}(/[A-Z]{3,6})?$"' in problem.sentence


@pytest.mark.parametrize("side,index", [*(("parameters", index) for index in range(4)), ("returns", 0)])
def test_every_step_of_the_specification_is_needed(tmp_path: Path, side: str, index: int) -> None:
    contract = json.loads(CONTRACT.read_text(encoding="utf-8"))
    del contract["tools"][0]["versions"][0]["to_next"][side][index]
    problems = compile_problems(tmp_path, contract)
    lost = "REQUEST_LOST" if side == "parameters" else "RESULT_LOST"
    assert {problem.rule for problem in problems} <= {lost, "STEP_OCCUPIED"}
