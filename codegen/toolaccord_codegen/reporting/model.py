"""Records of a report, independent of the command that found something."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from toolaccord.contract.accepted import AcceptedFinding
from toolaccord_codegen.diagnostics import Position, Problem
from toolaccord_codegen.loading.schema_nodes import Place


class Severity(Enum):
    """Severity of a finding."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Detail(Enum):
    """Amount of a finding that people see."""

    HIDDEN = "hidden"
    """No line; the finding is only counted."""
    SENTENCE = "sentence"
    """Its sentence: nothing has to be done."""
    FINGERPRINT = "fingerprint"
    """Its sentence and fingerprint: the sentence names the remedy."""
    FULL = "full"
    """Its sentence, fingerprint, excerpts and advice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedFinding:
    """A finding in the form that reports print."""

    rule: str
    rule_summary: str
    """The rule in one line."""
    advice: str
    """The remedy, or the reason where the sentence names it; empty if nothing has to be done."""
    severity: Severity
    label: str
    """The command's own word for the severity; empty where all findings have the same."""
    subject: str
    """The tool or server that the finding is about; empty where the message names it."""
    message: str
    position: Position
    excerpts: tuple[tuple[str, Place], ...]
    """The places to show, each with a label, which may be empty."""
    witness: tuple[str, str] | None = None
    """A value that demonstrates the finding, as JSON, after a label for it."""
    detail: Detail = Detail.FULL
    fingerprint: str
    accepted: AcceptedFinding | None
    data: Mapping[str, Any]
    """The members of the JSON report."""
    properties: Mapping[str, Any] = field(default_factory=dict)
    """Members for SARIF's property bag."""

    @property
    def full_message(self) -> str:
        """Return the subject and the message."""
        return f"{self.subject}: {self.message}" if self.subject else self.message


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The result of one command."""

    command: str
    """The command."""
    title: str
    """The heading of a page."""
    empty_message: str
    """The sentence for a page without findings."""
    summary: tuple[tuple[str, Severity | None], ...]
    """The last line for people, in pieces; a piece with a severity has its colour."""
    headings: Mapping[Severity, str]
    """The headings of a page's sections."""
    findings: tuple[ReportedFinding, ...]
    problems: tuple[Problem, ...]
    """Accepted findings that are none, or the reasons for which contracts are refused."""
    accept_flags: str | None = ""
    """Flags that the command `accept` needs to find the findings again; None where it cannot."""
    json_facts: Mapping[str, Any] = field(default_factory=dict)
    """Further members of the JSON report."""
    lines: tuple[str, ...] = ()
    """Further lines of a page, as Markdown."""


def short_hash(*facts: Any) -> str:
    """Return twelve hexadecimal digits that identify some facts."""
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:12]
