"""The records that are generated for older versions say what the contract says."""

import asyncio
import json
from datetime import date
from typing import Any

import jsonschema_rs
import pytest

from tests.versions.generated import RISK, Generated
from toolpact.declarations.version_steps import Move
from toolpact.versioning.upgrade_path import Passage, passages

CONTRACT = json.loads((RISK / "contracts" / "platform" / "risk.json").read_text(encoding="utf-8"))
EXAMPLES = [
    (tool["name"], example) for tool in CONTRACT["tools"] for example in tool["examples"] if "version" in example
]


def passage(risk: Generated, name: str, version: str) -> Passage:
    return next(each for each in passages(risk.tool(name)) if each.version.version == version)


def test_a_tool_knows_its_older_versions_the_newest_first(risk: Generated) -> None:
    check = risk.tool("risk.position_limits_check")
    assert [each.version for each in check.versions] == ["1.1.0", "1.0.0"]
    assert check.released_on == date(2026, 3, 1)
    assert check.versions[1].sunset_on == date(2100, 1, 15)
    assert check.versions[0].result_steps == (Move("/max_qty", "/max_quantity"),)


def test_the_published_result_schema_admits_what_every_version_gives(risk: Generated) -> None:
    output = jsonschema_rs.validator_for(risk.tool("risk.position_limits_check").output)
    assert output.is_valid({"allowed": False, "max_quantity": 1})
    assert output.is_valid({"allowed": False, "max_qty": 1})
    assert not output.is_valid({"allowed": False, "most": 1})


@pytest.mark.parametrize("name,example", EXAMPLES)
def test_examples_of_older_versions_go_up_and_answers_come_down(
    risk: Generated, name: str, example: dict[str, Any]
) -> None:
    way, newest = passage(risk, name, example["version"]), risk.tool(name)

    async def answered() -> Any:
        request = await way.upgraded_with(example["arguments"], None)
        result = await newest.handler(newest.request.model_validate(request), None)
        return await way.downgraded_with(result.model_dump(mode="json", exclude_none=True), None)

    assert asyncio.run(answered()) == example["returns"]
