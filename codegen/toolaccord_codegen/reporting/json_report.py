"""Reports as JSON, for other programs."""

from __future__ import annotations

import json

from toolaccord_codegen.reporting.model import Report


def format_json(report: Report) -> str:
    """Return the report as one JSON object."""
    document = {
        **report.json_facts,
        "findings": [dict(finding.data) for finding in report.findings],
        "problems": [
            {**each.position._asdict(), "rule": each.rule, "message": each.sentence} for each in report.problems
        ],
    }
    return json.dumps(document, indent=2, ensure_ascii=False)
