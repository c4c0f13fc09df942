"""Kinds of sources: those of toolaccord, of installed packages, and of the project."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, is_dataclass
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import SimpleNamespace
from typing import Any, get_type_hints

from toolaccord_codegen.naming import ClassName

GROUP = "toolaccord.sources"
"""Group of the entry points with which packages add kinds, as a project does with its table."""
_KEYS_OF_EVERY_SOURCE: Mapping[str, Mapping[str, Any]] = {"properties": {"kind": {}}, "patternProperties": {"^x-": {}}}


class KindError(Exception):
    """A kind cannot be used; the text says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceKind:
    """A kind of source, as generated code and rules need it."""

    imports: tuple[str, ...]
    """Lines with which generated code imports the two classes."""
    declaration: str
    """Name of the declaration's class in generated code."""
    protocol: str
    """Name of the type of the open source, as handlers see it."""
    schema: Mapping[str, Any] = field(default_factory=dict)
    """JSON Schema of the keys of a source; empty for a kind of toolaccord."""


def is_custom(kind: str) -> bool:
    """Return whether a kind is none of toolaccord: its name has a dot."""
    return "." in kind


@dataclass(frozen=True, slots=True)
class SourceKinds:
    """The kinds that contracts may use."""

    declared: Mapping[str, str] = field(default_factory=dict)
    """Kinds of the project as `module:Class`, by name."""
    roots: Sequence[Path] = ()
    """Folders of the project's modules, beside Python's own path."""

    def find(self, name: str) -> SourceKind:
        """Return a kind by its name. Raises KindError."""
        if not is_custom(name):
            protocol = ClassName(name)
            package = name.partition("_")[0]  # zmq_pub and zmq_sub share one
            line = f"from toolaccord.sources.{package} import {protocol}, {protocol}Source"
            return SourceKind(imports=(line,), declaration=f"{protocol}Source", protocol=protocol)
        return _describe(name, self._load(name))

    def names(self) -> list[str]:
        """Return the names of the kinds that are not toolaccord's."""
        return sorted({*self.declared, *entry_points(group=GROUP).names})

    def _load(self, name: str) -> Any:
        """Import the declaration of a kind. Raises KindError."""
        found = [*entry_points(group=GROUP, name=name)]
        if name in self.declared:
            found = [EntryPoint(name, self.declared[name], GROUP)]
        if not found:
            raise KindError(f'no installed package and no [tool.toolaccord.sources] has the kind "{name}"')
        with _importable(self.roots):
            try:
                return found[0].load()
            except Exception as error:  # whatever the module raises
                raise KindError(f"{found[0].value} cannot be imported: {type(error).__name__}: {error}") from error


def _describe(name: str, declaration: Any) -> SourceKind:
    """Return the kind of a declaration's class. Raises KindError."""
    import jsonschema_rs  # noqa: PLC0415 - an unchanged check needs none

    if not (isinstance(declaration, type) and is_dataclass(declaration) and hasattr(declaration, "open")):
        raise KindError(f"{declaration!r} is no dataclass with the method `open`")
    place, schema = f"{declaration.__module__}.{declaration.__qualname__}", getattr(declaration, "schema", None)
    try:
        jsonschema_rs.validator_for(schema)  # type: ignore[arg-type]
        keys = set(schema["properties"])  # type: ignore[index]
    except (TypeError, KeyError, ValueError) as error:
        raise KindError(f"{place}.schema is no JSON Schema with properties") from error
    if unknown := keys ^ {each.name for each in fields(declaration)} - {"name"}:
        raise KindError(f"{place} has {', '.join(sorted(unknown))} as a field or in its schema, and not as both")
    source = _resolve_result(place, declaration.open)
    if not isinstance(source, type) or source is Any:
        raise KindError(f"{place}.open has no class or protocol as its return type")
    if getattr(declaration, "kind", None) != name:
        raise KindError(f'{place}.kind must be "{name}"')
    return SourceKind(
        imports=tuple(f"import {module}" for module in {declaration.__module__: 0, source.__module__: 0}),
        declaration=place,
        protocol=f"{source.__module__}.{source.__qualname__}",
        schema={**schema, "type": "object", "additionalProperties": False, **_add_common(schema)},  # type: ignore[dict-item]
    )


def _resolve_result(place: str, method: Any) -> Any:
    """Return the return type of a method. Raises KindError.

    The types of its arguments may be imported by type checkers only.
    """
    try:
        result = {"return": method.__annotations__.get("return")}
        return get_type_hints(SimpleNamespace(__annotations__=result, __wrapped__=method))["return"]
    except Exception as error:  # whatever an annotation raises
        reason = f"{type(error).__name__}: {error}; import it at run time too"
        raise KindError(f"the return type of {place}.open cannot be resolved: {reason}") from error


def _add_common(schema: Any) -> dict[str, Any]:
    """Return the keys of a schema, with those that every source has."""
    return {key: {**schema.get(key, {}), **part} for key, part in _KEYS_OF_EVERY_SOURCE.items()}


@contextmanager
def _importable(roots: Sequence[Path]) -> Iterator[None]:
    """Let modules in *roots* be imported in the block."""
    before = [*sys.path]
    sys.path[:0] = [str(root) for root in roots]
    try:
        yield
    finally:
        sys.path[:] = before
