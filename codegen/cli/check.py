"""The command `check`: generated files, handlers, lint and changes, in one report."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace

from codegen.cli.check_cache import Memory, folder_digest, recalled, remember
from codegen.cli.generate import answered, deciding
from codegen.cli.options import command, output
from codegen.diagnostics import pluralise
from codegen.emit.output_tree import Drift, drifts
from codegen.loading.documents import display_path
from codegen.reporting.colour import RED, Paint, wants_colour
from codegen.reporting.sections import Section, format_section

Decided = tuple[str, str]
"""Digests of all that decides what is found: the compiler, and what it is asked."""


def check(options: argparse.Namespace) -> int:
    """Compare the tree with the folder and the handlers with the contracts, lint these, and compare them with what they were.

    Raises ContractProblems where the contracts have faults: nothing else can be judged then.
    """
    paint = Paint(wants_colour())
    failing: list[str] = []
    for section in sections(options, paint):
        print("\n".join(format_section(section, paint)))
        failing += [section.title.lower()] if section.fails else []
    if failing:
        print(paint(f"to mend: {', '.join(failing)}", RED))
    return 1 if failing else 0


def sections(options: argparse.Namespace, paint: Paint) -> Iterator[Section]:
    """The parts of the report, each as soon as it is known."""
    decided = deciding(options)
    yield from of_files(options, decided)
    yield of_lint(options, decided, paint)
    if options.against:
        from codegen.cli.breaking import compared  # noqa: PLC0415 - most runs compare with nothing

        yield compared(options, paint)


def of_files(options: argparse.Namespace, decided: Decided) -> Iterator[Section]:
    """The generated files, and the handlers."""
    current = remembered(options, decided)
    drifted, faults = ([], current.faults) if current else compared_files(options)
    contracts = display_path(options.contracts)
    summary = f"{display_path(output(options))} is what {contracts} asks for"
    if drifted:
        summary = f"{pluralise(len(drifted), 'file')} not as the contracts ask; write with: {command(options)}"
    details = tuple(line for drift in drifted for line in drift_lines(options, drift))
    yield Section(title="Files", summary=summary, details=details, fails=bool(drifted))
    kept = pluralise(len(faults), "problem") if faults else f"{options.handlers} keeps what {contracts} promises"
    yield Section(title="Handlers", summary=kept, details=faults, fails=bool(faults))


def remembered(options: argparse.Namespace, decided: Decided) -> Memory | None:
    """The memory of a run over the very same files, options and compiler that asked for what is in the output folder."""
    memory = recalled(options.package)
    known = (memory.compiler, memory.asked, memory.files)
    return memory if known == (*decided, folder_digest(output(options))) else None


def compared_files(options: argparse.Namespace) -> tuple[list[Drift], tuple[str, ...]]:
    """Compile; return the files that are not as they should be, and what is wrong with the handlers."""
    answer = answered(options)
    return list(drifts(output(options), answer.tree)), answer.faults


def drift_lines(options: argparse.Namespace, drift: Drift) -> Iterator[str]:
    """A file that is not as it should be, and how it differs."""
    yield f"{display_path(output(options) / drift.path)}: {drift.reason}"
    if drift.diff:
        yield drift.diff


def of_lint(options: argparse.Namespace, decided: Decided, paint: Paint) -> Section:
    """What the contracts are better without; remembered for the day where that is nothing."""
    memory, today = recalled(options.package), options.today.isoformat()
    if (memory.compiler, memory.asked, memory.linted_on) == (*decided, today):
        return Section(title="Lint", summary=memory.lint)
    from codegen.cli.lint import lint_section  # noqa: PLC0415 - what is as it was need not be linted

    section = lint_section(options, paint)
    if not section.fails and deciding(options) == decided == (memory.compiler, memory.asked):
        remember(options.package, replace(memory, linted_on=today, lint=section.summary))
    return section
