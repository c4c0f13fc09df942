"""Rules for a server's environment variables: each has one meaning."""

from __future__ import annotations

from collections.abc import Iterator

from toolaccord.contract.server_contracts import ServerContract
from toolaccord.contract.settings import name_override
from toolaccord.semantics.json_pointers import join_pointer
from toolaccord_codegen.diagnostics import Problem
from toolaccord_codegen.ir.sources import list_limits
from toolaccord_codegen.loading.contracts import AnyContract
from toolaccord_codegen.loading.documents import Document
from toolaccord_codegen.rules.tool_view import place_items

NUMBERS = (
    ("cache", "ttl_s"),
    ("cache", "provisional_ttl_s"),
    ("cache", "memory_ttl_s"),
    ("rate_limit", "calls"),
    ("task", "concurrency"),
)
"""The keys of a tool's numbers that variables override."""


def check_environment(document: Document, contract: AnyContract) -> Iterator[Problem]:
    """Yield environment variables that have two readers.

    A reader is a setting, or a number of the contract that the variable overrides.
    """
    known: dict[str, str] = {}
    for env, reader, at in _list_readers(contract):
        if known.setdefault(env, reader) != reader:
            sentence = f"{env} would be read by {known[env]} and by {reader}; rename one"
            yield document.problem(at, "ENV_TAKEN", sentence)


def _list_readers(contract: AnyContract) -> Iterator[tuple[str, str, str]]:
    """Yield each variable, overrides included, with its reader and the pointer of the reader."""
    for setting in contract.settings:
        yield setting.env, f'the setting "{setting.name}"', join_pointer("/settings", setting.name, "env")
    for at, tool in place_items("/tools", contract.tools if isinstance(contract, ServerContract) else ()):
        for part, key in NUMBERS:
            if getattr(getattr(tool, part), key, None) is not None:
                noun = part.replace("_", " ")
                yield (
                    name_override(tool.name, f"{part}_{key}"),
                    f'{key} of the {noun} of "{tool.name}"',
                    f"{at}/{part}",
                )
    for source in contract.sources:
        for key, _ in list_limits(source):
            at = join_pointer("/sources", source.name, key)
            yield name_override(source.name, key), f'{key} of the source "{source.name}"', at
