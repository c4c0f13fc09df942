"""Options of `accept`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from toolaccord_codegen.cli.options.arguments import argument
from toolaccord_codegen.cli.options.comparison import ComparisonOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptOptions:
    """Options of `accept`."""

    rule: str = field(metadata=argument("the rule of the finding", flag=False, metavar="RULE"))
    fingerprints: Sequence[str] = field(
        metadata=argument(
            "its fingerprint; several for findings at one place", flag=False, nargs="+", metavar="FINGERPRINT"
        )
    )
    reason: str = field(metadata=argument("the reason, for whoever reads the file later", metavar="TEXT"))
    comparison: ComparisonOptions
