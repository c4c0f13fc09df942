"""Reports as JSON, for other programs."""

from __future__ import annotations

import json
from typing import Any

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
    return dump_json(document)


def dump_json(document: Any) -> str:
    """Return *document* as JSON, with characters escaped that a terminal would obey or hide."""
    text = json.dumps(document, indent=2, ensure_ascii=False)
    return "".join(char if char.isprintable() or char == "\n" else _escape(char) for char in text)


def _escape(char: str) -> str:
    """Return *char* as JSON escapes it; a DEL need not be escaped, and is."""
    return json.dumps(char)[1:-1] if ord(char) > 0x7F else f"\\u{ord(char):04x}"
