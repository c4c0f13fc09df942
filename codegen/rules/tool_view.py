"""A tool as rules see it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from codegen.diagnostics import Problem
from codegen.loading.documents import Document, join_pointer, split_pointer
from codegen.loading.references import SchemaLibrary, as_array, as_object


@dataclass(frozen=True, slots=True)
class VersionView:
    """A version of a tool as rules see it: of any shape, with its schemas written out as far as that is possible."""

    pointer: str
    """Where it stands in the tool."""
    declaration: Mapping[str, Any]
    """What the contract says of it."""
    parameters: Mapping[str, Any]
    returns: Mapping[str, Any]
    resolved: frozenset[str]
    """Which of parameters and returns are written out to the end; in others, something may be where nothing is seen."""

    @property
    def version(self) -> str:
        """Its version, as text."""
        return str(self.declaration.get("version"))

    def is_resolved_object(self, key: str) -> bool:
        """Whether parameters or returns can be judged: all of it is there, and it is an object."""
        return key in self.resolved and as_object(getattr(self, key)).get("type") == "object"


@dataclass(frozen=True, slots=True)
class ToolView:
    """A tool as rules see it: of any shape, with its schemas written out as far as that is possible."""

    document: Document
    pointer: str
    tool: Mapping[str, Any]
    contract: Mapping[str, Any]
    standard: Mapping[str, Any] | None
    """The codes of the contract's dialect; None where it has none, which is a fault of its own."""
    newest: VersionView
    """Its own version."""
    older: tuple[VersionView, ...]
    """The versions that are answered beside it, as the contract lists them."""

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The schema of its arguments."""
        return self.newest.parameters

    @property
    def returns(self) -> Mapping[str, Any]:
        """The schema of its result."""
        return self.newest.returns

    def problem(self, pointer: str, rule: str, sentence: str) -> Problem:
        """A problem at a place in the tool."""
        return self.document.problem(self.pointer + pointer, rule, sentence)

    def argument(self, pointer: str) -> Mapping[str, Any] | None:
        """The schema of the argument that a pointer names, in whichever alternative; None where there is none."""
        found: list[Any] = [self.parameters]
        for token in split_pointer(pointer):
            holders = [holder for schema in found for holder in alternatives(schema)]
            found = [as_object(holder.get("properties")).get(token) for holder in holders]
            found = [schema for schema in found if isinstance(schema, dict)]
        return found[0] if found else None

    def is_resolved_object(self, key: str) -> bool:
        """Whether parameters or returns can be judged: all of it is there, and it is an object."""
        return self.newest.is_resolved_object(key)

    @property
    def codes(self) -> list[str]:
        """The codes that the tool declares."""
        codes = [as_object(error).get("code") for error in as_array(self.tool.get("errors"))]
        return [code for code in codes if isinstance(code, str)]


def alternatives(schema: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """A schema and the branches of its anyOf and oneOf."""
    yield schema
    for key in ("anyOf", "oneOf"):
        for branch in as_array(schema.get(key)):
            yield from alternatives(as_object(branch))


def property_names(schema: Mapping[str, Any]) -> list[str]:
    """The names of a schema's properties, in whichever alternative."""
    return [name for branch in alternatives(schema) for name in as_object(branch.get("properties"))]


def view_tools(library: SchemaLibrary, document: Document, dialects: Mapping[str, Any]) -> Iterator[ToolView]:
    """The tools of a contract, ready to be judged."""
    contract = as_object(document.value)
    dialect = contract.get("dialect")
    standard = as_object(dialects.get(dialect) if isinstance(dialect, str) else None).get("codes")
    for index, tool in enumerate(as_array(contract.get("tools"))):
        if isinstance(tool, dict):
            yield ToolView(
                document=document,
                pointer=join_pointer("", "tools", index),
                tool=tool,
                contract=contract,
                standard=standard if isinstance(standard, dict) else None,
                newest=_view_version(library, document, "", tool),
                older=tuple(
                    _view_version(library, document, join_pointer("/versions", place), older)
                    for place, older in enumerate(as_array(tool.get("versions")))
                    if isinstance(older, dict)
                ),
            )


def _view_version(library: SchemaLibrary, document: Document, pointer: str, said: Mapping[str, Any]) -> VersionView:
    """A version of a tool, ready to be judged."""
    schemas = {key: library.inline(document, said.get(key)) for key in ("parameters", "returns")}
    whole = frozenset(key for key in schemas if library.is_resolvable(document, said.get(key)))
    return VersionView(pointer=pointer, declaration=said, resolved=whole, **schemas)
