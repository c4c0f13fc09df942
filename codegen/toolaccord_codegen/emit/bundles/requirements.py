"""Requirements of a bundle: the packages that its modules import."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from toolaccord_codegen.emit.extras import list_source_extras
from toolaccord_codegen.ir.contract import Contract
from toolaccord_codegen.loading.requirements import read_project_name


@dataclass(frozen=True, slots=True)
class Requirements:
    """Requirements of a bundle."""

    listed: tuple[str, ...]
    """toolaccord with its extras, and the project's dependencies that are imported."""
    unnamed: tuple[str, ...]
    """Projects that are imported, and that neither toolaccord nor the project names."""


def choose_requirements(contract: Contract, dependencies: Sequence[str], imported: set[str]) -> Requirements:
    """Return what a server needs whose modules import the packages *imported*.

    A dependency that is not installed stays, because nobody knows the names of its modules.
    """
    projects_of = {
        module: {*map(canonicalize_name, found)} for module, found in metadata.packages_distributions().items()
    }
    installed = set().union(*projects_of.values())
    used = set().union(*(projects_of.get(module, ()) for module in imported))
    own = {*map(read_project_name, dependencies)}
    brought = _list_brought()
    extras = list_source_extras(contract.sources)
    for project in sorted(used & brought.keys() - own):
        if brought[project] and not brought[project] & extras:
            extras.add(_smallest(brought[project], brought))
    chosen = f"[{','.join(sorted(extras))}]" if extras else ""
    wanted = (used | own - installed) - {"toolaccord"}
    known = {"toolaccord", *brought, *own}
    unnamed = (projects_of[module] for module in imported & projects_of.keys() if not projects_of[module] & known)
    return Requirements(
        listed=(
            f"toolaccord{chosen}=={metadata.version('toolaccord')}",
            *(text for text in dependencies if read_project_name(text) in wanted),
        ),
        unnamed=tuple(sorted(set().union(*unnamed))),
    )


def _list_brought() -> dict[str, set[str]]:
    """Return the projects that toolaccord requires, with the extras that do; the base is none."""
    found: dict[str, set[str]] = {}
    for project, extra in _read_own():
        found.setdefault(project, set()).add(extra)
    return {project: set() if "" in extras else extras for project, extras in found.items()}


def _smallest(extras: set[str], brought: Mapping[str, set[str]]) -> str:
    """Return the extra that brings the fewest projects."""
    return min(extras, key=lambda extra: (sum(extra in each for each in brought.values()), extra))


def _read_own() -> Iterator[tuple[str, str]]:
    """Yield each requirement of toolaccord with each extra that asks for it; the base is empty."""
    extras = metadata.metadata("toolaccord").get_all("Provides-Extra") or []
    for requirement in map(Requirement, metadata.requires("toolaccord") or ()):
        marker = requirement.marker
        for extra in ("", *extras) if marker else ("",):
            if marker is None or marker.evaluate({"extra": extra}):
                yield canonicalize_name(requirement.name), extra
