"""The command `generate`, and what it and `check` ask the compiler."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from codegen.cli.check_cache import Memory, asked_digest, compiler_digest, files_digest, recalled, remember
from codegen.cli.options import OWN_IMAGES, OWN_PACKAGE, OWN_SANDBOX, is_own, output, regenerate, surroundings
from codegen.diagnostics import pluralise
from codegen.emit.output_tree import Tree, digest, with_manifest, write
from codegen.ir.layout import Layout
from codegen.loading.documents import display_path

if TYPE_CHECKING:  # loading the compiler takes longer than finding out that it is not needed
    from codegen.compiler import Contracts
    from codegen.emit.models import Models


@dataclass(frozen=True, slots=True)
class Answer:
    """What the contracts ask for."""

    contracts: Contracts
    tree: Tree
    """Every file of the output folder."""
    faults: tuple[str, ...]
    """What is wrong with the handlers."""


def generate(options: argparse.Namespace) -> int:
    """Write the tree; say what changed."""
    answer = answered(options)
    out = output(options)
    written, removed = write(out, answer.tree)
    for path in written:
        print(f"wrote   {display_path(out / path)}")
    for path in removed:
        print(f"removed {display_path(out / path)}")
    servers = pluralise(len(answer.contracts.contracts), "server")
    tools = pluralise(sum(len(contract.tools) for contract in answer.contracts.contracts), "tool")
    state = "" if written or removed else "; nothing had changed"
    print(f"{servers} with {tools} in {display_path(out)}{state}")
    return 0


def deciding(options: argparse.Namespace) -> tuple[str, str]:
    """Digests of all that decides what a run finds: the compiler, and what it is asked."""
    return compiler_digest(), asked_digest(options.contracts, layout(options), roots(options))


def answered(options: argparse.Namespace) -> Answer:
    """Compile, and remember what came of it.

    Raises ContractProblems.
    """
    # These load for a quarter of a second, and the templates for as long: what is as it was needs neither.
    from codegen.cli.rules import SUPPRESSIBLE_RULES  # noqa: PLC0415
    from codegen.compiler import compile_folder  # noqa: PLC0415
    from codegen.emit.models import Models  # noqa: PLC0415
    from codegen.rules.handlers import check_handlers  # noqa: PLC0415

    before, memory = deciding(options), recalled(options.package)
    contracts = compile_folder(options.contracts, suppressible=SUPPRESSIBLE_RULES)
    models = Models(output(options), memory.models if memory.compiler == before[0] else {})
    tree = filled(contracts, layout(options), models)
    found = {fault for each in contracts.contracts for fault in check_handlers(each, options.handlers, roots(options))}
    faults = tuple(map(str, sorted(found)))
    # A file that somebody saved meanwhile may have been read before or after: then nothing is known.
    if deciding(options) == before:
        compiler, asked = before
        files = files_digest({path: digest(text) for path, text in tree.items()})
        made = Memory(compiler=compiler, asked=asked, files=files, faults=faults, models=models.remembered(tree))
        remember(options.package, made)
    return Answer(contracts, tree, faults)


def filled(contracts: Contracts, names: Layout, models: Models) -> Tree:
    """Every file of the output folder."""
    from codegen.emit.render import rendered  # noqa: PLC0415 - faulty contracts need not wait for the templates

    tree = rendered(contracts, names, models)
    return with_manifest(tree, [*contracts.documents, *contracts.protocols], names.contracts)


def layout(options: argparse.Namespace) -> Layout:
    """The names around what is generated."""
    return Layout(
        package=options.package,
        handlers=options.handlers,
        sandbox=options.sandbox or (OWN_SANDBOX if options.package == OWN_PACKAGE else None),
        contracts=options.contracts.resolve().name,
        command=regenerate(options),
        namespace=options.namespace,
        images=options.images or (OWN_IMAGES if is_own(options) else None),
    )


def roots(options: argparse.Namespace) -> list[Path]:
    """Where handlers are looked for, beside Python's own path."""
    return [surroundings(options), Path.cwd()]
