"""Explain one rule with an example, which a golden case of the rule proves."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonpatch
import pytest

from tests.codegen.conftest import Command
from toolaccord_codegen.breaking.catalog import RULES as BREAKING_RULES
from toolaccord_codegen.breaking.report import WITNESS_LABELS
from toolaccord_codegen.breaking.rule import Direction
from toolaccord_codegen.cli.rules import EXAMPLES
from toolaccord_codegen.lint.catalog import RULES as LINT_RULES
from toolaccord_codegen.loading.accepted_findings import accepted_since, check_stale
from toolaccord_codegen.loading.reading import parse_document
from toolaccord_codegen.rules.catalog import COMPILER_RULES

FOLDER = Path(__file__).parents[1]
LINE = re.compile(r"^(?P<path>[^:]+):(?P<line>\d+):\d+: (?P<rule>[A-Z_0-9]+): (?P<message>.*?)( \[[0-9a-f]{12}\])?$")
STALE = "ACCEPTED_NOTHING"
QUERIES = "queries.sql"
"""The file of a case with the queries of its server."""
QUERY_RULES = {rule for rule in COMPILER_RULES if rule.startswith("QUERY_")} | {"PRIVILEGE_MISSING", "PRIVILEGE_UNUSED"}
LONGEST = 240
"""Characters of a line of an example."""
ACCEPT = "if the golden cases are right, accept them with: pytest tests/codegen/cli/test_rules.py --accept"


def change_examples() -> Iterator[tuple[str, list[str]]]:
    """Yield for each rule of changes a change that a golden case makes, and what is found."""
    cases = sorted((FOLDER / "breaking" / "cases").iterdir(), key=lambda case: (len(case.name), case.name))
    for rule in BREAKING_RULES:
        case = next(each for each in cases if each.name.upper().startswith(rule) and rule in rules_of(each))
        patches = json.loads((case / "after.json").read_text(encoding="utf-8"))
        operations = [describe(case, name, operation) for name, patch in patches.items() for operation in patch]
        finding = next(each for each in read_findings(case) if each["rule"] == rule)
        yield rule, [*operations, f"{finding['level']['default']}: {finding['message']}", *show(finding)]


def rules_of(case: Path) -> set[str]:
    """Return the rules of the findings of a case."""
    return {each["rule"] for each in read_findings(case)}


def read_findings(case: Path) -> list[dict[str, Any]]:
    """Return the findings of a case."""
    found: list[dict[str, Any]] = json.loads((case / "findings.json").read_text(encoding="utf-8"))
    return found


def describe(case: Path, name: str, operation: dict[str, Any]) -> str:
    """Return an operation of a JSON Patch as a line."""
    if not operation["path"]:
        return f"{name}: the file is {'removed' if operation['op'] == 'remove' else 'added'}"
    base = json.loads((case / "base" / name).read_text(encoding="utf-8"))
    after = json.dumps(operation["value"], ensure_ascii=False) if "value" in operation else "nothing"
    if operation["op"] == "move":
        return f"{name}: {operation['from']} moves to {operation['path']}"
    before = "nothing"
    if operation["op"] != "add":
        before = json.dumps(jsonpatch.JsonPointer(operation["path"]).resolve(base, None), ensure_ascii=False)
    return f"{name}: {operation['path']} changes from {before} to {after}"


def show(finding: dict[str, Any]) -> Iterator[str]:
    """Yield the witness of a finding."""
    if finding["witness"]:
        direction = Direction(finding["direction"]) if finding["direction"] else None
        label = WITNESS_LABELS[direction, finding["witness"]["accepted_by"] == "old"]
        yield f"{label}: {json.dumps(finding['witness']['value'], ensure_ascii=False)}"


def line_examples(folder: Path, file: str, rules: set[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield for each rule a line of a golden case that reports it, after the contract's line."""
    missing = set(rules)
    for case in sorted(folder.iterdir(), key=lambda case: (case.name.upper() not in rules, len(case.name), case.name)):
        lines = (case / file).read_text(encoding="utf-8").splitlines() if (case / file).exists() else []
        for match in filter(None, (LINE.match(line.removeprefix("note: ")) for line in lines)):
            if match["rule"] in missing:
                missing.remove(match["rule"])
                source = case / (QUERIES if match["path"].endswith(".sql") else match["path"])
                yield match["rule"], [*source_line(source, int(match["line"])), match["message"]]
    assert not missing


def source_line(path: Path, number: int) -> list[str]:
    """Return the line of a file in a list, which is empty for files that are no text."""
    try:
        return [path.read_text(encoding="utf-8").split("\n")[number - 1].strip()]
    except (OSError, UnicodeDecodeError):
        return []


def stale_example() -> list[str]:
    """Return the lines about an acceptance of nothing, which no golden case has."""
    entry = {"rule": "BOUND_TIGHTENED", "fingerprint": "0123456789ab", "reason": "Nobody asks", "date": "2026-01-01"}
    text = json.dumps({"accepted": [entry]})
    document = parse_document(text, "stock.accepted.json", "stock.accepted.json", [])
    assert document
    [problem] = check_stale(document, accepted_since(document, None, BREAKING_RULES), set())
    return [text, problem.sentence]


def collect() -> dict[str, list[str]]:
    """Return the lines of an example for each rule."""
    found = dict(
        [
            *line_examples(FOLDER / "cases", "problems.txt", set(COMPILER_RULES) - {STALE} - QUERY_RULES),
            *line_examples(FOLDER / "queries" / "cases", "report.txt", QUERY_RULES),
            *line_examples(FOLDER / "lint" / "cases", "findings.txt", set(LINT_RULES)),
            *change_examples(),
            (STALE, stale_example()),
        ]
    )
    return {
        rule: [line if len(line) <= LONGEST else f"{line[:LONGEST]}..." for line in found[rule]]
        for rule in sorted(found)
    }


def test_each_rule_has_an_example_of_a_golden_case(request: pytest.FixtureRequest) -> None:
    actual = collect()
    if request.config.getoption("--accept", default=False):
        lines = (f"{json.dumps(rule)}: {json.dumps(actual[rule], ensure_ascii=False)}" for rule in actual)
        EXAMPLES.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    assert set(actual) == {*COMPILER_RULES, *LINT_RULES, *BREAKING_RULES}
    assert actual == json.loads(EXAMPLES.read_text(encoding="utf-8")), ACCEPT


def test_a_rule_is_explained_with_its_levels_its_cure_and_an_example(command: Command) -> None:
    code, output = command("rules", "BOUND_TIGHTENED")
    assert code == 0
    assert output.startswith("BOUND_TIGHTENED: the range of a number is smaller\n")
    assert "\nbreaking in arguments, info in results\n" in output
    assert '\n  accepted before, rejected now: {"name": "nail", "x": 100}\n' in output


@pytest.mark.parametrize("rule", ["UNIT_MISSING", "DANGLING_REF"])
def test_rules_of_the_linter_and_the_compiler_are_explained_too(rule: str, command: Command) -> None:
    code, output = command("rules", rule)
    assert code == 0
    assert output.startswith(f"{rule}: ")
    assert "\nexample:\n  " in output


def test_an_unknown_rule_is_answered_with_the_nearest_one(command: Command) -> None:
    code, output = command("rules", "BOUND_TIGHTEND")
    assert code == 2
    assert 'there is no rule BOUND_TIGHTEND; did you mean "BOUND_TIGHTENED"?' in output
