"""Reports as SARIF 2.1.0, which code hosts and editors read."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import quote

from toolaccord_codegen.diagnostics import Position, Problem
from toolaccord_codegen.reporting.json_report import dump_json
from toolaccord_codegen.reporting.model import Report, ReportedFinding

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json"


def format_sarif(report: Report) -> str:
    """Return the report as one log with one run."""
    used = {finding.rule: finding for finding in sorted(report.findings, key=lambda finding: bool(finding.advice))}
    driver = {"name": f"toolaccord {report.command}", "rules": [_rule(used[name]) for name in sorted(used)]}
    results = [*map(_finding_result, report.findings), *map(_problem_result, report.problems)]
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return dump_json({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})


def _rule(finding: ReportedFinding) -> dict[str, Any]:
    """Return the rule of a finding."""
    advice = {"help": {"text": finding.advice}} if finding.advice else {}
    return {"id": finding.rule, "shortDescription": {"text": finding.rule_summary}, **advice}


def _finding_result(finding: ReportedFinding) -> dict[str, Any]:
    """Return a finding as a SARIF result."""
    found = {
        "ruleId": finding.rule,
        "level": finding.severity.value,
        "message": {"text": finding.full_message},
        "locations": [_location(finding.position)],
        "partialFingerprints": {"toolaccord/v1": finding.fingerprint},
        "properties": dict(finding.properties),
    }
    related = [(word, place.position) for word, place in finding.excerpts if place.position != finding.position]
    if related:
        found["relatedLocations"] = [
            _location(place) | {"message": {"text": f"{word} {place}"}} for word, place in related
        ]
    if finding.accepted:
        found["suppressions"] = [{"kind": "external", "justification": finding.accepted.reason}]
    return found


def _problem_result(problem: Problem) -> dict[str, Any]:
    """Return a problem as a SARIF result."""
    return {
        "ruleId": problem.rule,
        "level": "error",
        "message": {"text": problem.sentence},
        "locations": [_location(problem.position)],
    }


def _location(place: Position) -> dict[str, Any]:
    """Return a SARIF location; that of a git ref is the same file in the work tree."""
    _, _, path = place.path.partition(":")
    path = place.path if not path or Path(place.path).exists() else path
    region = {"startLine": place.line, "startColumn": place.column}
    uri = f"file://{quote(path)}" if path.startswith("/") else quote(path)
    return {"physicalLocation": {"artifactLocation": {"uri": uri}, "region": region}}
