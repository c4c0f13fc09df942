"""Compare the analyst's request and response with the specification, but for texts."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.handlers.agents.analysis.analyst import AGENT

SPECIFICATION = Path(__file__).parent / "specification" / "moex_analyst.json"
ADDED = {"$schema", "title", "description", "examples", "minItems", "maxItems", "maxLength", "maxProperties"}
"""Keywords in which the contract may differ: bounds that the specification lacks, and texts."""


def bare(schema: Any) -> Any:
    """Return *schema* without the keywords of ADDED."""
    if not isinstance(schema, dict):
        return schema
    properties = {name: bare(each) for name, each in schema.get("properties", {}).items()}
    rest = {key: bare(value) for key, value in schema.items() if key not in ADDED | {"properties"}}
    if rest.get("additionalProperties") is True:
        del rest["additionalProperties"]  # JSON Schema's default
    return rest | ({"properties": properties} if properties else {})


@pytest.mark.parametrize("part", ["input", "output"])
def test_the_schemas_are_those_of_the_specification(part: str) -> None:
    specified = json.loads(SPECIFICATION.read_text(encoding="utf-8"))[part]
    assert bare(getattr(AGENT, part)) == bare(specified)
