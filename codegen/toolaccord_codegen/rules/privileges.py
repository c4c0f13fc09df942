"""Rules for the database privileges of tools, from which the role of a server is generated."""

from __future__ import annotations

from collections.abc import Iterator

from toolaccord.contract.operations import ReadEffects
from toolaccord.contract.server_contracts import ServerContract
from toolaccord.semantics.json_pointers import join_pointer
from toolaccord_codegen.diagnostics import Problem
from toolaccord_codegen.loading.documents import Document
from toolaccord_codegen.rules.tool import USING
from toolaccord_codegen.rules.tool_view import list_owners

READING = ("reads", ("SELECT",), '"adds" or "writes"')
ADDING = ("adds to", ("SELECT", "INSERT"), '"writes"')
"""The deed of a tool, its allowed privileges, and the effects that allow more."""


def check_privileges(document: Document, contract: ServerContract) -> Iterator[Problem]:
    """Yield privileges beyond a tool's effects, and tools that lack what others declare."""
    users = [(f"{at}/effects", owner.effects) for at, owner in list_owners(contract) if owner.effects]
    databases = {source.name for source in contract.sources if source.kind == "postgresql"}
    declared = {name for _, effects in users for name in effects.privileges} & databases
    for at, effects in users:
        yield from _check_excess(document, at, effects, databases)
        for source in sorted(_used(effects, *USING) & declared - effects.privileges.keys()):
            sentence = (
                f'other tools declare their privileges on "{source}", and the role generated from them would not let '
                f'this tool work; add its tables to "privileges"'
            )
            yield document.problem(at, "PRIVILEGES_INCOMPLETE", sentence)


def _check_excess(document: Document, at: str, effects: ReadEffects, databases: set[str]) -> Iterator[Problem]:
    """Yield privileges on unused sources, and those beyond the effect on a source."""
    for source, tables in effects.privileges.items():
        here = join_pointer(at, "privileges", source)
        if source not in databases & _used(effects, *USING):
            sentence = f'"{source}" is no PostgreSQL source that the tool reads or writes; add it there, or remove this'
            yield document.problem(here, "PRIVILEGE_UNDECLARED", sentence, key=True)
        elif source not in _used(effects, "writes"):
            verb, allowed, others = ADDING if source in _used(effects, "adds") else READING
            for table, privileges in tables.items():
                if not {*privileges} <= {*allowed}:
                    sentence = (
                        f'the tool only {verb} "{source}", which needs {" and ".join(allowed)}; '
                        f"name it in {others}, or remove the other privileges"
                    )
                    yield document.problem(join_pointer(here, table), "PRIVILEGE_UNDECLARED", sentence)


def _used(effects: ReadEffects, *keys: str) -> set[str]:
    """Return the names of sources in effects."""
    return {name for key in keys for name in getattr(effects, key, ())}
