"""Tools as rules see them, before they are known to be valid."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from toolaccord.semantics.json_pointers import split_pointer
from toolaccord_codegen.diagnostics import Problem
from toolaccord_codegen.ir.tool import NO_RESULT, Schema
from toolaccord_codegen.loading.documents import Document
from toolaccord_codegen.loading.references import SchemaLibrary, as_array, as_object, list_items


@dataclass(frozen=True, slots=True)
class VersionView:
    """One version of a tool, of any shape.

    References in its schemas are inlined as far as they can be resolved.
    """

    pointer: str
    """Its pointer relative to the tool."""
    declaration: Mapping[str, Any]
    """Its object in the contract."""
    parameters: Mapping[str, Any]
    returns: Mapping[str, Any]
    resolved: frozenset[str]
    """The keys, `parameters` or `returns`, whose references all resolve.

    Schemas under other keys may be incomplete.
    """

    @property
    def version(self) -> str:
        """Return its version as text."""
        return str(self.declaration.get("version"))

    def is_resolved_object(self, key: str) -> bool:
        """Return True where rules can check this schema: a complete object."""
        return key in self.resolved and self.schema(key).get("type") == "object"

    def schema(self, key: str) -> Mapping[str, Any]:
        """Return the schema under a key, `parameters` or `returns`."""
        return self.parameters if key == "parameters" else self.returns


@dataclass(frozen=True, slots=True)
class ToolView:
    """One tool, of any shape.

    References in its schemas are inlined as far as they can be resolved.
    """

    document: Document
    pointer: str
    tool: Mapping[str, Any]
    contract: Mapping[str, Any]
    dialect: Mapping[str, Any]
    """The contract's dialect; empty for an unknown one, which is reported elsewhere."""
    newest: VersionView
    """The newest version."""
    older: tuple[VersionView, ...]
    """The older versions that are still served, in the contract's order."""

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Return the schema of its arguments."""
        return self.newest.parameters

    @property
    def returns(self) -> Mapping[str, Any]:
        """Return the schema of its result."""
        return self.newest.returns

    @property
    def has_content_alone(self) -> bool:
        """Return True where the handler returns content and no result."""
        return has_content_alone(self.tool)

    @property
    def standard(self) -> Mapping[str, Any] | None:
        """Return the codes of the dialect; None for an unknown one."""
        codes = self.dialect.get("codes")
        return codes if isinstance(codes, dict) else None

    def problem(self, pointer: str, rule: str, sentence: str) -> Problem:
        """Return a problem at a place in the tool."""
        return self.document.problem(self.pointer + pointer, rule, sentence)

    def argument(self, pointer: str) -> Mapping[str, Any] | None:
        """Return the schema of an argument in any alternative; None where the pointer leads nowhere."""
        found: list[Any] = [self.parameters]
        for token in split_pointer(pointer):
            holders = [holder for schema in found for holder in _alternatives(schema)]
            found = [as_object(holder.get("properties")).get(token) for holder in holders]
            found = [schema for schema in found if isinstance(schema, dict)]
        return found[0] if found else None

    def is_resolved_object(self, key: str) -> bool:
        """Return True where rules can check this schema: a complete object."""
        return self.newest.is_resolved_object(key)

    @property
    def codes(self) -> list[str]:
        """Return the codes that the tool declares."""
        codes = [error.get("code") for _, error in list_items(self.tool, "errors")]
        return [code for code in codes if isinstance(code, str)]


def _alternatives(schema: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield a schema and the branches of its anyOf and oneOf, recursively."""
    yield schema
    for key in ("anyOf", "oneOf"):
        for branch in as_array(schema.get(key)):
            yield from _alternatives(as_object(branch))


def property_names(schema: Mapping[str, Any]) -> list[str]:
    """Return the names of a schema's properties in all alternatives."""
    return [name for branch in _alternatives(schema) for name in as_object(branch.get("properties"))]


def view_tools(
    library: SchemaLibrary, document: Document, dialects: Mapping[str, Any], key: str = "tools"
) -> Iterator[ToolView]:
    """Yield the tools of a contract, or under another *key* what has a tool's keys."""
    contract = as_object(document.value)
    dialect = contract.get("dialect")
    for at, tool in list_items(contract, key):
        schemas = {"returns": NO_RESULT} if has_content_alone(tool) else {}
        yield ToolView(
            document=document,
            pointer=at,
            tool=tool,
            contract=contract,
            dialect=as_object(dialects.get(dialect) if isinstance(dialect, str) else None),
            newest=_view_version(library, document, "", tool, schemas),
            older=tuple(
                _view_version(library, document, place, older, schemas) for place, older in list_items(tool, "versions")
            ),
        )


def has_content_alone(tool: Mapping[str, Any]) -> bool:
    """Return True where a tool's handler returns content and no result."""
    return "content" in tool and "returns" not in tool


def _view_version(
    library: SchemaLibrary,
    document: Document,
    pointer: str,
    declaration: Mapping[str, Any],
    implied: Mapping[str, Schema],
) -> VersionView:
    """Return a version of a tool; *implied* schemas replace missing ones."""
    declared = {key: declaration.get(key, implied.get(key)) for key in ("parameters", "returns")}
    schemas = {key: library.inline(document, schema) for key, schema in declared.items()}
    whole = frozenset(key for key, schema in declared.items() if library.is_resolvable(document, schema))
    return VersionView(pointer=pointer, declaration=declaration, resolved=whole, **schemas)
