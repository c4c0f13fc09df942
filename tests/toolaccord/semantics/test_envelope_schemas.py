"""The published schema of a response: the dialect's envelope around the schema of a result."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

import pytest

from toolaccord.contract.policies import Idempotency, RateLimit
from toolaccord.semantics.envelope_schemas import PLACEHOLDER_SCHEMAS, build_output_schema, select_standard_codes

RETURNS = {"type": "object", "properties": {"count": {"type": "integer"}}}
OLDER = {"type": "object", "properties": {"number": {"type": "integer"}}}
CODES = {
    "access": "UNAUTHORIZED",
    "unknown_tool": "UNKNOWN_TOOL",
    "sunset": "ENDED",
    "source": "DOWN",
    "conflict": "CONFLICT",
    "rate_limit": "LIMITED",
}


@dataclass(frozen=True)
class Dialect:
    success: Any = field(default_factory=lambda: {"data": {"$": "result"}, "again": {"$": "replayed"}})
    failure: Any = field(default_factory=lambda: {"ok": False, "code": {"$": "code"}})
    errors_in_output_schema: bool = True
    occasion_codes: Mapping[str, str] = field(default_factory=lambda: CODES)


@dataclass(frozen=True)
class Version:
    returns: Mapping[str, Any]
    sunset_on: date | None = None


@dataclass(frozen=True)
class Tool:
    returns: Mapping[str, Any] = field(default_factory=lambda: RETURNS)
    error_occasions: tuple[tuple[str, str | None], ...] = (("NO_ROW", None),)
    idempotency: Idempotency | None = None
    rate_limit: RateLimit | None = None
    versions: tuple[Version, ...] = ()


def envelope(**members: Any) -> dict[str, Any]:
    return {"type": "object", "properties": members, "required": [*members], "additionalProperties": False}


FAILURE = envelope(
    ok={"const": False}, code={"type": "string", "enum": ["NO_ROW", "DOWN"], "description": "Error code"}
)


def test_the_schema_admits_either_a_success_or_a_failure_with_a_code_of_the_tool() -> None:
    assert build_output_schema(Dialect(), Tool()) == {"type": "object", "oneOf": [envelope(data=RETURNS), FAILURE]}


def test_only_a_tool_with_keys_may_mark_a_replayed_result() -> None:
    success = build_output_schema(Dialect(), Tool(idempotency=Idempotency(window_s=1, key_from=("request",))))["oneOf"][
        0
    ]
    assert success["properties"] == {"data": RETURNS, "again": PLACEHOLDER_SCHEMAS["replayed"]}
    assert success["required"] == ["data"]


def test_a_bare_result_may_admit_a_failure_too() -> None:
    schema = build_output_schema(Dialect(success={"$": "result"}), Tool())
    assert schema == {"type": "object", "anyOf": [RETURNS, FAILURE]}


def test_results_of_every_version_are_admitted_once() -> None:
    tool = Tool(versions=(Version(OLDER), Version(RETURNS)))
    assert build_output_schema(Dialect(), tool)["anyOf"] == [envelope(data=RETURNS), envelope(data=OLDER), FAILURE]
    quiet = Dialect(errors_in_output_schema=False)
    assert build_output_schema(quiet, tool)["anyOf"] == [envelope(data=RETURNS), envelope(data=OLDER)]
    assert build_output_schema(quiet, Tool()) == envelope(data=RETURNS)


@pytest.mark.parametrize(
    "tool, occasions",
    [
        (Tool(), {"source"}),
        (Tool(error_occasions=(("DB", "source"),)), set()),
        (Tool(idempotency=Idempotency(window_s=1, key_from=("request",))), {"source", "conflict"}),
        (Tool(idempotency=Idempotency(window_s=1, key_from=("derived",))), {"source"}),
        (Tool(rate_limit=RateLimit(calls=1, window_s=1)), {"source", "rate_limit"}),
        (Tool(versions=(Version(OLDER, date(2026, 1, 1)),)), {"source", "sunset"}),
    ],
)
def test_standard_codes_are_those_of_occasions_that_the_tool_can_meet(tool: Tool, occasions: set[str]) -> None:
    assert select_standard_codes(Dialect(), tool).keys() == occasions
