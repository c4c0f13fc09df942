"""Requirements of a bundle: the packages that its modules import."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata

from codegen.ir.contract import Contract

EXTRAS = {"zmq_pub": "zmq", "zmq_sub": "zmq", "files": ""}
"""Extras of toolpact for kinds of sources whose name they do not have."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
"""The name at the beginning of a requirement (PEP 508)."""
_EXTRA = re.compile(r"""\bextra == ["']([^"']+)""")


@dataclass(frozen=True, slots=True)
class Requirements:
    """Requirements of a bundle."""

    listed: tuple[str, ...]
    """toolpact with its extras, and the project's dependencies that are imported."""
    unnamed: tuple[str, ...]
    """Projects that are imported, and that neither toolpact nor the project names."""


def choose_requirements(contract: Contract, dependencies: Sequence[str], imported: set[str]) -> Requirements:
    """Return what a server needs whose modules import the packages *imported*.

    A dependency that is not installed stays, because nobody knows the names of its modules.
    """
    projects_of = {module: {*map(project_name, found)} for module, found in metadata.packages_distributions().items()}
    installed = set().union(*projects_of.values())
    used = set().union(*(projects_of.get(module, ()) for module in imported))
    own = {*map(project_name, dependencies)}
    brought = _list_brought()
    extras = {EXTRAS.get(source.kind, source.kind) for source in contract.sources} - {""}
    for project in sorted(used & brought.keys() - own):
        if brought[project] and not brought[project] & extras:
            extras.add(_smallest(brought[project], brought))
    chosen = f"[{','.join(sorted(extras))}]" if extras else ""
    wanted = (used | own - installed) - {"toolpact"}
    known = {"toolpact", *brought, *own}
    unnamed = (projects_of[module] for module in imported & projects_of.keys() if not projects_of[module] & known)
    return Requirements(
        listed=(
            f"toolpact{chosen}=={metadata.version('toolpact')}",
            *(text for text in dependencies if project_name(text) in wanted),
        ),
        unnamed=tuple(sorted(set().union(*unnamed))),
    )


def project_name(text: str) -> str:
    """Return the name of the project in a requirement, as indexes compare it (PEP 503)."""
    found = _NAME.match(text)
    return re.sub(r"[-_.]+", "-", found.group()).lower() if found else ""


def _list_brought() -> dict[str, set[str]]:
    """Return the projects that toolpact requires, with the extras that do; the base is none."""
    found: dict[str, set[str]] = {}
    for project, extra in _read_own():
        found.setdefault(project, set()).add(extra)
    return {project: set() if "" in extras else extras for project, extras in found.items()}


def _smallest(extras: set[str], brought: Mapping[str, set[str]]) -> str:
    """Return the extra that brings the fewest projects."""
    return min(extras, key=lambda extra: (sum(extra in each for each in brought.values()), extra))


def _read_own() -> Iterator[tuple[str, str]]:
    """Yield each requirement of toolpact with its extra, which is empty for the base."""
    for text in metadata.requires("toolpact") or ():
        extra = _EXTRA.search(text)
        yield project_name(text), extra[1] if extra else ""
