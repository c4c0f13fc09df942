"""Drafts of the operations of an OpenAPI document."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from toolaccord.semantics.json_pointers import join_pointer
from toolaccord_codegen.drafts.contract import TIMEOUT_MS, UPSTREAM, Forward, as_text
from toolaccord_codegen.drafts.definitions import Definitions
from toolaccord_codegen.drafts.losses import Effect, Losses
from toolaccord_codegen.drafts.responses import draft_errors, draft_result
from toolaccord_codegen.drafts.roots import find_example
from toolaccord_codegen.drafts.schemas import SchemaDrafter
from toolaccord_codegen.drafts.server_listing import complete_example
from toolaccord_codegen.loading.references import as_array, as_object

Record = dict[str, Any]
READING = frozenset({"get", "head", "options", "query"})
SCALARS = frozenset({"string", "integer", "number", "boolean"})
PLACEHOLDER = re.compile(r"\{([A-Za-z0-9_-]+)\}")
UNUSED = ("deprecated", "callbacks", "externalDocs", "servers")
BODY = "body"
"""The argument with the body of a request."""


ELSEWHERE = "it leads to nothing in the document"
MOST_REFERENCES = 10
"""Most references that lead to one object of a document."""


def resolve(definitions: Definitions, record: Any, at: str) -> tuple[Record, str]:
    """Return an object of the document behind any references, and its JSON pointer.

    The object keeps its `$ref` if that leads to nothing.
    """
    for _ in range(MOST_REFERENCES):
        reference = as_object(record).get("$ref")
        found = definitions.find(reference) if isinstance(reference, str) else None
        if found is None:
            break
        record, at = found.schema, found.pointer
    return as_object(record), at


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One operation of a document."""

    path: str
    method: str
    at: str
    """Its JSON pointer."""
    record: Mapping[str, Any]
    shared: list[Any]
    """Parameters of all operations of its path."""

    @property
    def name(self) -> str:
        """Return its id, or one made of method and path."""
        made = re.sub(r"[^A-Za-z0-9]+", "_", f"{self.method}_{self.path}").strip("_")
        return as_text(self.record.get("operationId"), made)


@dataclass(frozen=True, slots=True)
class OperationDrafter:
    """Drafts operations as tools, which share the definitions of the document."""

    document: Mapping[str, Any]
    definitions: Definitions
    losses: Losses

    def draft(self, name: str, operation: Operation) -> tuple[Record, Forward | None]:
        """Return a tool, and the way to forward its calls if that is all that its handler has to do."""
        record = operation.record
        title = as_text(record.get("summary"), "")
        located = [*self._list_parameters(operation)]
        parameters = self._draft_arguments(operation, located)
        result = draft_result(as_object(record.get("responses")), operation.at, self.definitions, self.losses)
        example: Record = {"arguments": find_example(parameters, self.definitions)}
        if result.returns is not None:
            example["returns"] = find_example(result.returns, self.definitions)
        for key in UNUSED:
            if key in record:
                self.losses.drop(join_pointer(operation.at, key), key, Effect.SAME, "the language has no such key")
        tool = {
            "name": name,
            **({"title": title} if title else {}),
            "version": "1.0.0",
            "description": as_text(record.get("description"), title or name),
            "effects": {"reads" if operation.method in READING else "writes": [UPSTREAM]},
            "parameters": parameters,
            **({"content": ["text"]} if result.returns is None else {"returns": result.returns}),
            "errors": draft_errors(as_object(record.get("responses")), operation.at, self._resolve, self.losses),
            "deadline": {"timeout_ms": TIMEOUT_MS},
            "examples": [complete_example(example)],
        }
        is_readable = operation.method == "get" and result.returns is not None and not self._is_secured(record)
        return tool, self._find_forward(operation, located, result.wrapped) if is_readable else None

    def _resolve(self, record: Any, at: str, effect: Effect) -> tuple[Record, str]:
        """Return an object of the document behind any references, and its JSON pointer.

        An object that is elsewhere is a loss with an *effect*.
        """
        found, place = resolve(self.definitions, record, at)
        if "$ref" in found:
            self.losses.drop(join_pointer(place, "$ref"), "$ref", effect, ELSEWHERE)
        return found, place

    def _list_parameters(self, operation: Operation) -> Iterator[tuple[str, Record, str]]:
        """Yield each parameter with its argument's name and its pointer; an operation's own win."""
        own = as_array(operation.record.get("parameters"))
        places = [(each, join_pointer(operation.at, "parameters", index)) for index, each in enumerate(own)]
        above = operation.at.rpartition("/")[0]
        places += [(each, join_pointer(above, "parameters", index)) for index, each in enumerate(operation.shared)]
        seen: set[tuple[str, str]] = set()
        used: set[str] = {BODY}
        for each, place in places:
            record, at = self._resolve(each, place, Effect.NARROWER)
            name, where = record.get("name"), record.get("in")
            if not isinstance(name, str) or not isinstance(where, str) or (name, where) in seen:
                continue
            seen.add((name, where))
            argument = name if name not in used else f"{where}_{name}"
            used.add(argument)
            yield argument, record, at

    def _draft_arguments(self, operation: Operation, located: list[tuple[str, Record, str]]) -> Record:
        """Return the schema of a tool's arguments: the parameters, and the body as `body`."""
        members: Record = {}
        required: list[str] = []
        for name, record, at in located:
            members[name] = self._draft_parameter(record, at)
            required += [name] if record.get("required") is True else []
        if "requestBody" in operation.record:
            body, at = self._resolve(
                operation.record["requestBody"], join_pointer(operation.at, "requestBody"), Effect.WIDER
            )
            members[BODY] = self._draft_content(body, at)
            required += [BODY] if body.get("required") is True else []
        shape: Record = {"type": "object", "properties": members, **({"required": required} if required else {})}
        return self.definitions.limit({**shape, "additionalProperties": False}, operation.at, self.losses)

    def _draft_parameter(self, record: Record, at: str) -> Record:
        """Return the schema of one parameter, with its description."""
        for key in record.keys() & {"style", "explode", "allowReserved", "allowEmptyValue", "deprecated"}:
            self.losses.drop(join_pointer(at, key), key, Effect.SAME, "handlers write the request")
        if "schema" in record:
            drafted = SchemaDrafter(self.definitions, self.losses).draft(record["schema"], join_pointer(at, "schema"))
        else:
            drafted = self._draft_content(record, at)
        description = as_text(record.get("description"), "")
        return {**drafted, "description": description} if description else drafted

    def _draft_content(self, record: Record, at: str) -> Record:
        """Return the schema of the media type that fits best; JSON before any other."""
        media = as_object(record.get("content"))
        if not media:
            return {}
        chosen = next((name for name in media if "json" in name), next(iter(media)))
        place = join_pointer(at, "content")
        if len(media) > 1:
            self.losses.drop(place, "content", Effect.NARROWER, f"only {chosen} is taken")
        schema = as_object(media[chosen]).get("schema", True)
        drafted = SchemaDrafter(self.definitions, self.losses).draft(schema, join_pointer(place, chosen, "schema"))
        description = as_text(record.get("description"), "")
        return {**drafted, "description": description} if description and "description" not in drafted else drafted

    def _is_secured(self, record: Mapping[str, Any]) -> bool:
        """Return True for an operation that needs credentials."""
        demands = as_array(record.get("security", self.document.get("security")))
        return bool(demands) and {} not in demands

    def _find_forward(
        self, operation: Operation, located: list[tuple[str, Record, str]], wrapped: str | None
    ) -> Forward | None:
        """Return the way to forward a call whose arguments are scalars in the path or in the query."""
        for name, record, _ in located:
            types = self.definitions.inline(self._draft_silently(record)).get("type", "any")
            kinds = {types} if isinstance(types, str) else set(types)
            admitted = SCALARS | {"null"} if record["in"] == "query" else SCALARS  # a query leaves out what is null
            if record["in"] not in {"path", "query"} or name != record["name"] or not kinds <= admitted:
                return None
        in_path = tuple(name for name, record, _ in located if record["in"] == "path")
        has_other_braces = bool({*PLACEHOLDER.sub("", operation.path)} & {"{", "}"})
        if has_other_braces or sorted(PLACEHOLDER.findall(operation.path)) != sorted(in_path):
            return None
        query = tuple(name for name, record, _ in located if record["in"] == "query")
        return Forward(path=operation.path.lstrip("/"), path_arguments=in_path, query=query, wrapped=wrapped)

    def _draft_silently(self, record: Record) -> Record:
        """Return the schema of a parameter without noting its losses again."""
        return SchemaDrafter(self.definitions, Losses()).draft(record.get("schema", True), "")
