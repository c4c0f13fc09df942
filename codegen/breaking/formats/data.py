"""A judgement as JSON, for other programs."""

from __future__ import annotations

import json

from codegen.breaking.judgement import Judgement
from codegen.breaking.versions import shown


def data(judgement: Judgement) -> str:
    """The judgement as one JSON object."""
    return json.dumps(
        {
            "against": judgement.against,
            "profile": judgement.profile.value,
            "findings": [finding.as_json() for finding in judgement.findings],
            "versions": [
                {
                    "contract": growth.contract,
                    "tool": growth.tool,
                    "old": shown(growth.before),
                    "new": shown(growth.after),
                    "bump": str(growth.needs),
                    "least": shown(growth.least),
                }
                for growth in judgement.growths
            ],
            "problems": [
                {
                    "path": each.path,
                    "line": each.line,
                    "column": each.column,
                    "rule": each.rule,
                    "message": each.sentence,
                }
                for each in judgement.problems
            ],
        },
        indent=2,
        ensure_ascii=False,
    )
