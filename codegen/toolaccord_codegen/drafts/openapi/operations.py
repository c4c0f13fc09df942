"""Drafts of the operations of an OpenAPI document."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from toolaccord.semantics.json_pointers import join_pointer
from toolaccord_codegen.drafts.contract import TIMEOUT_MS, UPSTREAM, as_text
from toolaccord_codegen.drafts.definitions import Definitions
from toolaccord_codegen.drafts.forwards import (
    Forward,
    Located,
    body_form,
    choose_media,
    draft_headers,
    draft_path,
    is_sendable,
    is_usual,
    schema_kinds,
)
from toolaccord_codegen.drafts.losses import Effect, Losses
from toolaccord_codegen.drafts.names import free_name
from toolaccord_codegen.drafts.openapi.responses import Result, draft_errors, draft_result
from toolaccord_codegen.drafts.roots import find_example
from toolaccord_codegen.drafts.schemas import SchemaDrafter
from toolaccord_codegen.drafts.server_listing import complete_example
from toolaccord_codegen.loading.references import as_array, as_object

Record = dict[str, Any]
READING = frozenset({"get", "head", "options", "query"})
METHODS = frozenset({"GET", "HEAD", "OPTIONS", "QUERY", "POST", "PUT", "PATCH", "DELETE"})
"""Methods that an http source sends."""
IGNORED_HEADERS = frozenset({"accept", "content-type", "authorization"})
"""Headers that are no parameters, as OpenAPI says."""
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
        """Return a tool, and the way to forward its calls, or None."""
        record = operation.record
        title = as_text(record.get("summary"), "")
        located = [*self._list_parameters(operation)]
        parameters, media_type = self._draft_arguments(operation, located)
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
            **result.contract,
            "errors": draft_errors(as_object(record.get("responses")), operation.at, self._resolve, self.losses),
            "deadline": {"timeout_ms": TIMEOUT_MS},
            "examples": [complete_example(example)],
        }
        return tool, self._find_forward(operation, located, media_type, result)

    def _resolve(self, record: Any, at: str, effect: Effect) -> tuple[Record, str]:
        """Return an object of the document behind any references, and its JSON pointer.

        An object that is elsewhere is a loss with an *effect*.
        """
        found, place = resolve(self.definitions, record, at)
        if "$ref" in found:
            self.losses.drop(join_pointer(place, "$ref"), "$ref", effect, ELSEWHERE)
        return found, place

    def _list_parameters(self, operation: Operation) -> Iterator[Located]:
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
            if where == "header" and name.lower() in IGNORED_HEADERS:
                self.losses.drop(at, "parameters", Effect.SAME, "the media type and the credentials give this header")
                continue
            argument = name if name not in used else free_name(f"{where}_{name}", frozenset(used))
            used.add(argument)
            drafted = SchemaDrafter(self.definitions, Losses()).draft(record.get("schema", True), "")
            yield Located(argument=argument, record=record, at=at, kinds=schema_kinds(self.definitions.inline(drafted)))

    def _draft_arguments(self, operation: Operation, located: list[Located]) -> tuple[Record, str]:
        """Return the schema of a tool's arguments, one of them the body, and its media type."""
        members: Record = {}
        required: list[str] = []
        media_type = ""
        for each in located:
            members[each.argument] = self._draft_parameter(each.record, each.at)
            required += [each.argument] if each.record.get("required") is True else []
        if "requestBody" in operation.record:
            body, at = self._resolve(
                operation.record["requestBody"], join_pointer(operation.at, "requestBody"), Effect.WIDER
            )
            members[BODY], media_type = self._draft_content(body, at)
            required += [BODY] if body.get("required") is True else []
        shape: Record = {"type": "object", "properties": members, **({"required": required} if required else {})}
        limited = self.definitions.limit({**shape, "additionalProperties": False}, operation.at, self.losses)
        return limited, media_type

    def _draft_parameter(self, record: Record, at: str) -> Record:
        """Return the schema of one parameter, with its description."""
        for key in record.keys() & {"allowReserved", "allowEmptyValue", "deprecated"}:
            self.losses.drop(join_pointer(at, key), key, Effect.SAME, "the language has no such key")
        if "schema" in record:
            drafted = SchemaDrafter(self.definitions, self.losses).draft(record["schema"], join_pointer(at, "schema"))
        else:
            drafted, _ = self._draft_content(record, at)
        description = as_text(record.get("description"), "")
        return {**drafted, "description": description} if description else drafted

    def _draft_content(self, record: Record, at: str) -> tuple[Record, str]:
        """Return the schema of the media type that can be sent best, and that type."""
        media = as_object(record.get("content"))
        if not media:
            return {}, "application/json"
        chosen = choose_media(media)
        place = join_pointer(at, "content")
        if len(media) > 1:
            self.losses.drop(place, "content", Effect.NARROWER, f"only {chosen} is taken")
        schema = as_object(media[chosen]).get("schema", True)
        drafted = SchemaDrafter(self.definitions, self.losses).draft(schema, join_pointer(place, chosen, "schema"))
        description = as_text(record.get("description"), "")
        if description and "description" not in drafted:
            drafted = {**drafted, "description": description}
        return drafted, chosen

    def _find_forward(
        self, operation: Operation, located: list[Located], media_type: str, result: Result
    ) -> Forward | None:
        """Return the way to forward a call; None if a part of it has no form on the wire."""
        path, headers = draft_path(operation.path, located), draft_headers(located)
        method, body = operation.method.upper(), body_form(media_type) if media_type else None
        is_binary = result.returns is None and not is_sendable(result.media_type)
        if path is None or headers is None or method not in METHODS or (media_type and body is None) or is_binary:
            reason = "a part of the request or of the response is no JSON, form or text; the handler has to be written"
            self.losses.drop(operation.at, "handler", Effect.SAME, reason)
            return None
        return Forward(
            method=method,
            path=path[0],
            has_values="{" in path[0],
            params=path[1],
            headers=headers,
            body=body,
            media_type=None if body is None or is_usual(body, media_type) else media_type,
            wrapped=result.wrapped,
            content=None if result.returns is not None else result.media_type,
        )
