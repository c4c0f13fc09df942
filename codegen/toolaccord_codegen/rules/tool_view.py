"""Tools, resources and prompts as rules see them, with their places and their schemas."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar

from toolaccord.contract.dialects import Dialect
from toolaccord.contract.operations import Error
from toolaccord.contract.prompts import Prompt
from toolaccord.contract.resources import Resource
from toolaccord.contract.server_contracts import ServerContract
from toolaccord.contract.tools import OlderVersion, Tool
from toolaccord.semantics.json_pointers import join_pointer, split_pointer
from toolaccord_codegen.diagnostics import Problem
from toolaccord_codegen.ir.tool import NO_RESULT, Schema
from toolaccord_codegen.loading.documents import Document
from toolaccord_codegen.loading.references import SchemaLibrary, as_object, walk_branches

Owner = TypeVar("Owner", bound=Tool | Resource | Prompt)


@dataclass(frozen=True, slots=True)
class VersionView:
    """One version of a tool; references in its schemas are inlined as far as they resolve."""

    pointer: str
    """Its pointer relative to the tool."""
    declared: Tool | OlderVersion | Resource | Prompt
    parameters: Mapping[str, Any]
    returns: Mapping[str, Any]
    resolved: frozenset[str]
    """The keys, `parameters` or `returns`, whose references all resolve.

    Schemas under other keys may be incomplete.
    """

    @property
    def version(self) -> str:
        """Return its version; empty for what has none."""
        return getattr(self.declared, "version", "")

    def is_resolved_object(self, key: str) -> bool:
        """Return True where rules can check this schema: a complete object."""
        return key in self.resolved and self.schema(key).get("type") == "object"

    def schema(self, key: str) -> Mapping[str, Any]:
        """Return the schema under a key, `parameters` or `returns`."""
        return self.parameters if key == "parameters" else self.returns


@dataclass(frozen=True, slots=True)
class OwnerView(Generic[Owner]):
    """A tool, a resource or a prompt in its contract."""

    document: Document
    pointer: str
    declared: Owner
    contract: ServerContract
    dialect: Dialect | None
    """The contract's dialect; None for an unknown one, which is reported elsewhere."""
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
    def errors(self) -> Iterable[tuple[str, Error]]:
        """Return the errors that it declares, with their pointers."""
        return place_items("/errors", self.declared.errors)

    @property
    def codes(self) -> list[str]:
        """Return the codes that it declares."""
        return [error.code for error in self.declared.errors]

    def bound_to(self, occasion: str) -> list[str]:
        """Return the pointers of its errors that are bound to an occasion."""
        return [at for at, error in self.errors if error.when and error.when.occasion == occasion]

    def lacks_code(self, occasion: str) -> bool:
        """Return True where its known dialect has no code for an occasion."""
        return self.dialect is not None and occasion not in self.dialect.occasion_codes

    def problem(self, pointer: str, rule: str, sentence: str) -> Problem:
        """Return a problem at a place in the tool."""
        return self.document.problem(self.pointer + pointer, rule, sentence)

    def list_written(self, pointer: str = "") -> AbstractSet[str]:
        """List the keys that the contract has at a place, also those with a default."""
        keys: AbstractSet[str] = self.document.value_at(self.pointer + pointer).keys()
        return keys

    def argument(self, pointer: str) -> Mapping[str, Any] | None:
        """Return the schema of an argument in any alternative; None where the pointer leads nowhere."""
        found: list[Any] = [self.parameters]
        for token in split_pointer(pointer):
            holders = [holder for schema in found for holder in walk_branches(schema)]
            found = [as_object(holder.get("properties")).get(token) for holder in holders]
            found = [schema for schema in found if isinstance(schema, dict)]
        return found[0] if found else None

    def is_resolved_object(self, key: str) -> bool:
        """Return True where rules can check this schema: a complete object."""
        return self.newest.is_resolved_object(key)


ToolView: TypeAlias = OwnerView[Tool]
AnyView: TypeAlias = OwnerView[Any]


def place_items(pointer: str, items: Iterable[Any]) -> list[tuple[str, Any]]:
    """Return the items of an array with their pointers."""
    return [(join_pointer(pointer, index), item) for index, item in enumerate(items)]


def list_owners(contract: ServerContract) -> list[tuple[str, Tool | Resource | Prompt]]:
    """List the tools, resources and prompts of a contract with their pointers."""
    parts = {"/tools": contract.tools, "/resources": contract.resources, "/prompts": contract.prompts}
    return [placed for pointer, owners in parts.items() for placed in place_items(pointer, owners)]


def property_names(schema: Mapping[str, Any]) -> list[str]:
    """Return the names of a schema's properties in all alternatives."""
    return [name for branch in walk_branches(schema) for name in as_object(branch.get("properties"))]


def has_content_alone(tool: Tool) -> bool:
    """Return True where a tool's handler returns content and no result."""
    return bool(tool.content) and tool.returns is None


@dataclass(frozen=True, slots=True)
class Viewer:
    """Views of the parts of one contract."""

    library: SchemaLibrary
    document: Document
    contract: ServerContract
    dialects: Mapping[str, Dialect]

    def view_tools(self) -> Iterator[ToolView]:
        """Yield the tools."""
        for at, tool in place_items("/tools", self.contract.tools):
            implied = NO_RESULT if has_content_alone(tool) else None
            older = [
                self._view_version(place, each, implied) for place, each in place_items("/versions", tool.versions)
            ]
            yield self._view(at, tool, self._view_version("", tool, implied), tuple(older))

    def view_resources(self) -> Iterator[OwnerView[Resource]]:
        """Yield the resources."""
        for at, resource in place_items("/resources", self.contract.resources):
            yield self._view(at, resource, self._view_version("", resource, None))

    def view_prompts(self) -> Iterator[OwnerView[Prompt]]:
        """Yield the prompts."""
        for at, prompt in place_items("/prompts", self.contract.prompts):
            yield self._view(at, prompt, self._view_version("", prompt, None))

    def _view(
        self, pointer: str, declared: Owner, newest: VersionView, older: tuple[VersionView, ...] = ()
    ) -> OwnerView[Owner]:
        dialect = self.dialects.get(self.contract.dialect)
        return OwnerView(self.document, pointer, declared, self.contract, dialect, newest, older)

    def _view_version(
        self, pointer: str, declared: Tool | OlderVersion | Resource | Prompt, implied: Schema | None
    ) -> VersionView:
        """Return a version; the *implied* schema of a result replaces a missing one."""
        written = {"parameters": declared.parameters, "returns": getattr(declared, "returns", None) or implied}
        parameters, returns = (self.library.inline(self.document, schema) for schema in written.values())
        whole = {key for key, schema in written.items() if self.library.is_resolvable(self.document, schema)}
        return VersionView(pointer, declared, parameters, returns, frozenset(whole))
