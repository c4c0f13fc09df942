"""Rules for the database privileges of tools, from which the role of a server is generated."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolaccord.semantics.json_pointers import join_pointer
from toolaccord_codegen.diagnostics import Problem
from toolaccord_codegen.loading.documents import Document
from toolaccord_codegen.loading.references import as_array, as_object, list_items

USING = ("reads", "adds", "writes")
"""Effects that name sources."""
READING = ("reads", ("SELECT",), '"adds" or "writes"')
ADDING = ("adds to", ("SELECT", "INSERT"), '"writes"')
"""The deed of a tool, its allowed privileges, and the effects that allow more."""


def check_privileges(document: Document) -> Iterator[Problem]:
    """Yield privileges beyond a tool's effects, and tools that lack what others declare."""
    contract = as_object(document.value)
    users = [each for key in ("tools", "resources", "prompts") for each in list_items(contract, key)]
    databases = {
        name
        for name, source in as_object(contract.get("sources")).items()
        if as_object(source).get("kind") == "postgresql"
    }
    declared = {name for _, user in users for name in _privileges(user)} & databases
    for pointer, tool in users:
        at = f"{pointer}/effects"
        yield from _check_excess(document, at, tool, databases)
        for source in sorted(_used(tool, *USING) & declared - _privileges(tool).keys()):
            sentence = (
                f'other tools declare their privileges on "{source}", and the role generated from them would not let '
                f'this tool work; add its tables to "privileges"'
            )
            yield document.problem(at, "PRIVILEGES_INCOMPLETE", sentence)


def _check_excess(document: Document, at: str, tool: dict[str, Any], databases: set[str]) -> Iterator[Problem]:
    """Yield privileges on unused sources, and those beyond the effect on a source."""
    for source, tables in _privileges(tool).items():
        here = join_pointer(at, "privileges", source)
        if source not in databases & _used(tool, *USING):
            sentence = f'"{source}" is no PostgreSQL source that the tool reads or writes; add it there, or remove this'
            yield document.problem(here, "PRIVILEGE_UNDECLARED", sentence, key=True)
        elif source not in _used(tool, "writes"):
            verb, allowed, others = ADDING if source in _used(tool, "adds") else READING
            for table, privileges in as_object(tables).items():
                if any(privilege not in allowed for privilege in as_array(privileges)):
                    sentence = (
                        f'the tool only {verb} "{source}", which needs {" and ".join(allowed)}; '
                        f"name it in {others}, or remove the other privileges"
                    )
                    yield document.problem(join_pointer(here, table), "PRIVILEGE_UNDECLARED", sentence)


def _privileges(tool: dict[str, Any]) -> dict[str, Any]:
    """Return a tool's privileges by source."""
    return as_object(as_object(tool.get("effects")).get("privileges"))


def _used(tool: dict[str, Any], *keys: str) -> set[str]:
    """Return the names of sources in a tool's effects."""
    effects = as_object(tool.get("effects"))
    return {name for key in keys for name in as_array(effects.get(key)) if isinstance(name, str)}
