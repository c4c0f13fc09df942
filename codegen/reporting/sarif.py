"""A report as SARIF 2.1.0, which code hosts and editors read."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

from codegen.diagnostics import Problem
from codegen.loading.schema_nodes import Position
from codegen.reporting.model import Remark, Report

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json"


def sarif(report: Report) -> str:
    """The report as one log with one run."""
    used = {remark.rule: remark for remark in report.remarks}
    driver = {"name": f"toolpact {report.judge}", "rules": [described(used[name]) for name in sorted(used)]}
    results = [*map(result, report.remarks), *map(problem_result, report.problems)]
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2, ensure_ascii=False)


def described(remark: Remark) -> dict[str, Any]:
    """The rule of a finding."""
    return {"id": remark.rule, "shortDescription": {"text": remark.says}, "help": {"text": remark.cure}}


def result(remark: Remark) -> dict[str, Any]:
    """A finding."""
    found = {
        "ruleId": remark.rule,
        "level": remark.grade.value,
        "message": {"text": remark.sentence},
        "locations": [location(remark.position)],
        "partialFingerprints": {"toolpact/v1": remark.fingerprint},
        "properties": dict(remark.properties),
    }
    related = [(word, place.position) for word, place in remark.pictures if place.position != remark.position]
    if related:
        found["relatedLocations"] = [location(place) | {"message": {"text": word}} for word, place in related]
    if remark.accepted:
        found["suppressions"] = [{"kind": "external", "justification": remark.accepted.reason}]
    return found


def problem_result(problem: Problem) -> dict[str, Any]:
    """An entry that accepts nothing."""
    place = Position(problem.path, problem.line, problem.column)
    return {
        "ruleId": problem.rule,
        "level": "error",
        "message": {"text": problem.sentence},
        "locations": [location(place)],
    }


def location(place: Position) -> dict[str, Any]:
    """A place in a file; a path of a git ref is quoted, so that it is a reference and not a scheme."""
    region = {"startLine": place.line, "startColumn": place.column}
    return {"physicalLocation": {"artifactLocation": {"uri": quote(place.path)}, "region": region}}
