"""Compare the generated records of older versions with the contract."""

import asyncio
import json
from datetime import date
from typing import Any

import jsonschema_rs
import pytest

from tests.versions.risk_server import RISK, GeneratedServer
from toolaccord.semantics.envelope_schemas import build_output_schema
from toolaccord.semantics.version_steps import move
from toolaccord.versioning.upgrade_path import UpgradePath, upgrade_paths

CONTRACT = json.loads((RISK / "contracts" / "platform" / "risk.json").read_text(encoding="utf-8"))
EXAMPLES = [
    (tool["name"], example) for tool in CONTRACT["tools"] for example in tool["examples"] if "version" in example
]


def path_from(risk: GeneratedServer, name: str, version: str) -> UpgradePath:
    return next(each for each in upgrade_paths(risk.tool(name)) if each.version.version == version)


def test_a_tool_lists_its_older_versions_newest_first(risk: GeneratedServer) -> None:
    check = risk.tool("risk.position_limits_check")
    assert [each.version for each in check.versions] == ["1.1.0", "1.0.0"]
    assert check.released_on == date(2026, 3, 1)
    assert check.versions[1].sunset_on == date(2100, 1, 15)
    assert check.versions[0].result_steps == (move("/max_qty", "/max_quantity"),)


def test_the_published_result_schema_admits_results_of_every_version(risk: GeneratedServer) -> None:
    schema = build_output_schema(risk.server.dialect, risk.tool("risk.position_limits_check"))
    output = jsonschema_rs.validator_for(schema)
    assert output.is_valid({"allowed": False, "max_quantity": 1})
    assert output.is_valid({"allowed": False, "max_qty": 1})
    assert not output.is_valid({"allowed": False, "most": 1})


@pytest.mark.parametrize("name,example", EXAMPLES)
def test_examples_of_older_versions_are_upgraded_and_their_answers_downgraded(
    risk: GeneratedServer, name: str, example: dict[str, Any]
) -> None:
    path, newest = path_from(risk, name, example["version"]), risk.tool(name)

    async def answer() -> Any:
        request = await path.upgrade(example["arguments"], None)
        result = await newest.handler(newest.request.model_validate(request), None)
        return await path.downgrade(result.model_dump(mode="json", exclude_none=True), None)

    assert asyncio.run(answer()) == example["returns"]
