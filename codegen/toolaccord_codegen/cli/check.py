"""The command `check`: generated files, handlers, lint and changes, in one report."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path

from toolaccord.testing import progress
from toolaccord_codegen.cli.check_cache import Inputs, load_run, store_run
from toolaccord_codegen.cli.generate import compile_project, digest_inputs, find_current_run
from toolaccord_codegen.cli.options.comparison import CheckOptions
from toolaccord_codegen.cli.options.generate import GenerateOptions
from toolaccord_codegen.diagnostics import pluralise
from toolaccord_codegen.emit.contract_schema import explain_schema_drift
from toolaccord_codegen.emit.output_tree import Drift, find_drifts
from toolaccord_codegen.loading.documents import SCHEMA_FILE, display_path
from toolaccord_codegen.reporting.colour import RED, TerminalStyle
from toolaccord_codegen.reporting.sections import Section, format_section


def run(options: CheckOptions) -> int:
    """Print the report; return 1 where a section fails.

    Raises ContractProblems where contracts do not compile, which are not judged.
    """
    style = TerminalStyle.of(sys.stdout)
    failing: list[str] = []
    for section in _sections(options, style):
        print("\n".join(format_section(section, style)))
        failing += [section.title.lower()] if section.fails else []
    if failing:
        print(style(f"failed: {', '.join(failing)}", RED))
    return 1 if failing else 0


def _sections(options: CheckOptions, style: TerminalStyle) -> Iterator[Section]:
    """Yield the sections of the report, each as soon as it is complete."""
    inputs = digest_inputs(options.generate)
    yield from _file_sections(options.generate, inputs, style)
    yield _lint_section(options.generate, options.comparison.today, inputs, style)
    if options.comparison.against:
        from toolaccord_codegen.cli.breaking import changes_section  # noqa: PLC0415 - most runs compare nothing

        yield changes_section(options.comparison, style)


def _file_sections(options: GenerateOptions, inputs: Inputs, style: TerminalStyle) -> Iterator[Section]:
    """Yield the sections of the generated files and of the handlers."""
    cached = find_current_run(options, inputs)
    drifted, problems, notes = ([], cached.handler_problems, cached.query_notes) if cached else _compare_files(options)
    contracts, output = display_path(options.folders.contracts), options.folders.output
    schema_drift = explain_schema_drift(options.folders.contracts)
    summary = f"{display_path(output)} matches {contracts}"
    if count := len(drifted) + bool(schema_drift):
        summary = f"{pluralise(count, 'file')} out of date; update with: {options.command}"
    details = tuple(line for drift in drifted for line in _drift_lines(output, drift))
    if schema_drift:
        details = (f"{display_path(options.folders.contracts / SCHEMA_FILE)}: {schema_drift}", *details)
    yield Section(title="Files", summary=summary, details=details, fails=bool(details))
    summary = f"{options.folders.handlers} matches {contracts}"
    if problems:
        summary = pluralise(len(problems), "problem")
    yield Section(title="Handlers", summary=summary, details=tuple(map(style.wrap, problems)), fails=bool(problems))
    if notes:
        summary = f"{pluralise(len(notes), 'note')} on what nothing proves"
        yield Section(title="Queries", summary=summary, details=tuple(map(style.wrap, notes)))


def _compare_files(options: GenerateOptions) -> tuple[list[Drift], tuple[str, ...], tuple[str, ...]]:
    """Compile; return the old files, the problems of handlers and the notes on queries."""
    with progress.Line("Comparing") as line:
        compiled = compile_project(options, line.show)
    drifts = list(find_drifts(options.folders.output, compiled.tree))
    return drifts, compiled.handler_problems, compiled.query_notes


def _drift_lines(output: Path, drift: Drift) -> Iterator[str]:
    """Yield the reason and the difference of a file that is out of date."""
    yield f"{display_path(output / drift.path)}: {drift.reason}"
    if drift.diff:
        yield drift.diff


def _lint_section(options: GenerateOptions, today: date, inputs: Inputs, style: TerminalStyle) -> Section:
    """Return the section of lint; a result without findings is cached for the day."""
    folders = options.folders
    cached = load_run(folders.project.folder, folders.package)
    if (cached.inputs, cached.linted_on) == (inputs, today.isoformat()):
        return Section(title="Lint", summary=cached.lint_summary)
    from toolaccord_codegen.cli.lint import lint_section  # noqa: PLC0415 - unchanged contracts need no lint

    section = lint_section(folders.contracts, today, style)
    if not section.fails and digest_inputs(options) == inputs == cached.inputs:
        linted = replace(cached, linted_on=today.isoformat(), lint_summary=section.summary)
        store_run(folders.project.folder, folders.package, linted)
    return section
