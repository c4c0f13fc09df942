"""Golden cases of the breaking-change checker.

A case is a folder: `base/` holds contracts, `after.json` a JSON Patch to them, `findings.json` the findings between
the two states. `allowed.json` is a similar patch without findings of the case's rule. Without it, that state equals
the base. The name of a case begins with its rule in lower case.
"""

import json
from collections.abc import Iterator
from contextlib import chdir
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from tests.codegen.breaking.golden import CASES, unpack
from toolaccord.call.conditions import broken_conditions
from toolaccord.contract.tools import Condition as DeclaredCondition
from toolaccord.contract.tools import DeclaredStep
from toolaccord.semantics.conditions import Condition
from toolaccord.semantics.version_steps import StepMapping
from toolaccord_codegen.breaking.catalog import RULES
from toolaccord_codegen.breaking.checker import CheckResult, check_changes
from toolaccord_codegen.breaking.findings import Finding
from toolaccord_codegen.breaking.report import build_report
from toolaccord_codegen.breaking.rule import Level, Profile
from toolaccord_codegen.ir.shared_records import build_condition, build_step
from toolaccord_codegen.loading.records import read_record
from toolaccord_codegen.loading.schema_nodes import Place
from toolaccord_codegen.reporting.colour import TerminalStyle
from toolaccord_codegen.reporting.formats import format_report
from toolaccord_codegen.schema_sets.validators import admits
from toolaccord_codegen.snapshots import Snapshot, read_snapshot

NAMES = sorted(folder.name for folder in CASES.iterdir())
ACCEPT = "if that is right, accept it with: pytest tests/codegen/breaking/test_cases.py --accept"
VERSIONS = "VERSION_"
STATES = ("before", "after", "allowed")
SARIF = jsonschema_rs.Draft202012Validator(
    json.loads((Path(__file__).parent / "sarif.schema.json").read_text(encoding="utf-8")), validate_formats=True
)
TODAY = date(2026, 12, 2)
"""The day after the last one in cases about versions that have ended."""


class Case:
    """A case, whose states are read once and compared once a profile."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.old, self.new, self.allowed = (read_snapshot(Path(state)) for state in STATES)
        self.compare = cache(self._compare)

    def _compare(self, profile: Profile = Profile.DEFAULT) -> CheckResult:
        """Compare the states before and after; versions end on a fixed day in the cases about that."""
        return check_changes(self.old, self.new, profile, TODAY if "ended" in self.name else None)

    def find(self, profile: Profile = Profile.DEFAULT) -> list[Finding]:
        """Return the findings between those states."""
        return select(self.name, self.compare(profile))


def select(name: str, result: CheckResult) -> list[Finding]:
    """Return the findings of a case; those about versions are only in their own cases."""
    return [each for each in result.findings if each.is_about_versions is rule_of(name).startswith(VERSIONS)]


@pytest.fixture(scope="module", params=NAMES)
def case(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Case]:
    """A case, for its tests one after the other; its folder is the current one."""
    with chdir(unpack(CASES / request.param, tmp_path_factory.mktemp("case"))):
        yield Case(request.param)


def rule_of(name: str) -> str:
    """Return the rule of a case: the longest one that its name starts with."""
    return max((rule for rule in RULES if name.upper().startswith(rule)), key=len)


def recorded(case: Case) -> list[dict[str, Any]]:
    """Return the content of `findings.json`, with the level of each profile."""
    levels = {
        (each.rule.id, each.fingerprint, profile.value): each.level.value
        for profile in Profile
        for each in case.find(profile)
    }
    return [
        {
            "rule": each.rule.id,
            "level": {profile.value: levels[each.rule.id, each.fingerprint, profile.value] for profile in Profile},
            "bump": str(each.bump),
            "tool": each.tool,
            "direction": each.direction.value if each.direction else None,
            "old": format_place(each.old),
            "new": format_place(each.new),
            "message": each.message,
            "witness": each.witness.as_json() if each.witness else None,
            "fingerprint": each.fingerprint,
        }
        for each in case.find()
    ]


def format_place(place: Place | None) -> str | None:
    """Return a place as a case has it."""
    return str(place.position) if place else None


def test_a_case_has_the_expected_findings(case: Case, request: pytest.FixtureRequest) -> None:
    actual = recorded(case)
    expected = CASES / case.name / "findings.json"
    if request.config.getoption("--accept", default=False):
        expected.write_text(json.dumps(actual, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    assert actual == json.loads(expected.read_text(encoding="utf-8")), ACCEPT
    assert rule_of(case.name) in {each["rule"] for each in actual}


def test_the_rule_of_a_case_allows_its_allowed_state(case: Case) -> None:
    today = TODAY if "ended" in case.name else None
    result = check_changes(case.old, case.allowed, Profile.DEFAULT, today)
    assert rule_of(case.name) not in {each.rule.id for each in select(case.name, result)}


def test_nothing_is_found_between_a_state_and_itself(case: Case) -> None:
    for state, before in zip(STATES, (case.old, case.new, case.allowed), strict=True):
        if state != "allowed" or before.files != case.old.files:
            assert check_changes(before, read_snapshot(Path(state)), Profile.STRICT).findings == ()


def test_sarif_matches_its_schema(case: Case) -> None:
    text = format_report(build_report(case.compare()), "sarif", TerminalStyle(on=False))
    assert list(SARIF.iter_errors(json.loads(text))) == []


def test_every_rule_has_a_case() -> None:
    assert {rule_of(name) for name in NAMES} == set(RULES)


def test_a_witness_is_admitted_by_one_state_and_rejected_by_the_other(case: Case) -> None:
    old, new = case.old, case.new
    for finding in case.find():
        if finding.witness and finding.rule.id.startswith("CONDITION"):
            arguments = finding.witness.value
            assert not broken_conditions(rules(old, finding), arguments)
            assert broken_conditions(rules(new, finding), upgrade(new, finding, arguments))
        elif finding.witness and finding.tool and finding.direction:
            key = {"input": "parameters", "output": "returns"}[finding.direction.value]
            impacts = [admits(schema(state, finding, key), finding.witness.value) for state in (old, new)]
            assert impacts == [finding.witness.is_loss, not finding.witness.is_loss]


@pytest.mark.parametrize(
    "case", [name for name in NAMES if rule_of(name) in {"OLDER_VERSION_REMOVED", "OLDER_VERSION_ENDED"}], indirect=True
)
def test_the_witness_of_a_removed_version_is_a_call_that_it_accepted(case: Case) -> None:
    old = case.old
    [finding] = [each for each in case.find() if each.rule.id == rule_of(case.name)]
    assert finding.witness
    call = finding.witness.value
    [version] = [each for each in tool_of(old, finding)["versions"] if each["version"] == call["version"]]
    document = old.contracts[finding.contract]
    assert admits(old.library.inline(document, version["parameters"]), call["arguments"])


@pytest.mark.parametrize("case", ["field_added_optional_input", "bound_tightened_by_a_name_in_a_map"], indirect=True)
def test_only_a_harmless_finding_has_no_cure(case: Case) -> None:
    found = case.find()
    assert {each.cure is None for each in found if each.level is Level.INFO} == {True}
    assert not [each for each in found if each.level is not Level.INFO and each.cure is None]


def rules(state: Snapshot, finding: Finding) -> list[Condition]:
    """Return the conditions of a finding's tool as the runtime's records."""
    return [
        build_condition(read_record(DeclaredCondition, rule)) for rule in tool_of(state, finding).get("conditions", [])
    ]


def upgrade(state: Snapshot, finding: Finding, arguments: Any) -> Any:
    """Return the arguments that the steps of a finding's older version lead to."""
    index = finding.old.pointer.partition("/versions/")[2] if finding.old else ""
    older = tool_of(state, finding)["versions"][int(index) :: -1] if index else []
    for version in older:
        steps = version["to_next"]["parameters"]
        mapping = StepMapping(build_step(read_record(DeclaredStep, step)) for step in steps)
        arguments = mapping.insert(*mapping.extract(arguments))
    return arguments


def tool_of(state: Snapshot, finding: Finding) -> dict[str, Any]:
    """Return the tool of a finding in one state."""
    tools: list[dict[str, Any]] = state.contracts[finding.contract].value["tools"]
    return next(tool for tool in tools if tool["name"] == finding.tool)


def schema(state: Snapshot, finding: Finding, key: str) -> dict[str, Any]:
    """Return the whole schema of a finding in one state."""
    return state.library.inline(state.contracts[finding.contract], tool_of(state, finding)[key])
