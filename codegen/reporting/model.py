"""A finding as it is printed, whichever judge has found it, and the report that holds it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from codegen.diagnostics import Problem
from codegen.loading.schema_nodes import Place, Position
from codegen.loading.suppressions import Suppression


class Severity(Enum):
    """How grave a finding is."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Detail(Enum):
    """How much of a finding is printed for people."""

    HIDDEN = "hidden"
    """Nothing: it is counted."""
    SENTENCE = "sentence"
    """Its sentence: there is nothing to do."""
    FINGERPRINT = "fingerprint"
    """That, and how to accept it: the sentence says what to do."""
    FULL = "full"
    """That, the places with excerpts, and the cure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedFinding:
    """A finding, as it is printed."""

    rule: str
    rule_summary: str
    """What the rule says of itself."""
    advice: str
    """What to do; where its sentence says that, why."""
    severity: Severity
    label: str
    """What its judge calls the grade; empty where all findings are of one."""
    subject: str
    """The tool or the server that it is about; empty where its sentence says so."""
    message: str
    position: Position
    excerpts: tuple[tuple[str, Place], ...]
    """The places to be shown, each with a word before it, if one is needed."""
    witness: tuple[str, str] | None = None
    """A value that shows it, as JSON, with what it shows before it."""
    detail: Detail = Detail.FULL
    fingerprint: str
    suppression: Suppression | None
    data: Mapping[str, Any]
    """What other programs read."""
    properties: Mapping[str, Any] = field(default_factory=dict)
    """What SARIF has no member for."""

    @property
    def full_message(self) -> str:
        """Whose it is, and what."""
        return f"{self.subject}: {self.message}" if self.subject else self.message


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What a judge has found."""

    command: str
    """The command."""
    title: str
    """The heading of a page."""
    empty_message: str
    """The sentence for a page on which nothing is found."""
    summary: tuple[tuple[str, Severity | None], ...]
    """The last line for people, in pieces: those with a grade have its colour."""
    headings: Mapping[Severity, str]
    """The headings of the parts of a page."""
    findings: tuple[ReportedFinding, ...]
    problems: tuple[Problem, ...]
    """Entries that accept nothing."""
    json_facts: Mapping[str, Any] = field(default_factory=dict)
    """What other programs read beside the findings."""
    lines: tuple[str, ...] = ()
    """More of a page, as Markdown."""


def short_hash(*facts: Any) -> str:
    """Twelve digits of a hash: what findings are told apart by."""
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:12]
