"""Reports as JSON, for other programs."""

from __future__ import annotations

import json

from codegen.diagnostics import Problem
from codegen.reporting.model import Report


def format_json(report: Report) -> str:
    """Return the report as one JSON object."""
    document = {
        **report.json_facts,
        "findings": [dict(finding.data) for finding in report.findings],
        "problems": [_problem_data(problem) for problem in report.problems],
    }
    return json.dumps(document, indent=2, ensure_ascii=False)


def _problem_data(problem: Problem) -> dict[str, str | int]:
    """Return the members of one problem."""
    return {
        "path": problem.path,
        "line": problem.line,
        "column": problem.column,
        "rule": problem.rule,
        "message": problem.sentence,
    }
