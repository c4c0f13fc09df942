"""Results and errors of tools, drafted of the responses of an OpenAPI operation."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from toolaccord.semantics.json_pointers import join_pointer
from toolaccord_codegen.drafts.contract import as_text
from toolaccord_codegen.drafts.definitions import Definitions
from toolaccord_codegen.drafts.losses import Effect, Losses
from toolaccord_codegen.drafts.roots import draft_returns
from toolaccord_codegen.drafts.schemas import SchemaDrafter
from toolaccord_codegen.loading.references import as_object
from toolaccord_codegen.naming import ClassName

Record = dict[str, Any]
Resolve = Callable[[Any, str, Effect], tuple[Record, str]]
RETRYABLE = frozenset({408, 425, 503})
"""Statuses after which the same call may succeed; the dialect knows those of its own codes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The result of a tool."""

    returns: Record | None
    """Its schema; None for text."""
    wrapped: str | None = None
    """The member that holds a response that is no object."""
    media_type: str = "text/plain"
    """The media type of the content of a tool without a schema."""

    @property
    def contract(self) -> Record:
        """Return the keys of the tool: its schema, or the kind of its content."""
        if self.returns is not None:
            return {"returns": self.returns}
        kind = self.media_type.partition("/")[0]
        return {"content": [kind if kind in {"image", "audio"} else "text"]}


def draft_result(responses: Mapping[str, Any], at: str, definitions: Definitions, losses: Losses) -> Result:
    """Return the result of the first success with JSON; text for any other operation."""
    successes = [status for status in responses if status.startswith("2")] or [s for s in responses if s == "default"]
    places = [
        _resolve_response(responses[status], join_pointer(at, "responses", status), definitions) for status in successes
    ]
    found = next((each for each in places if _find_json(each[0])), None)
    for _, place in places:
        if found is None or place != found[1]:
            losses.drop(
                place, "responses", Effect.SAME, "a tool has one result; this response has no JSON or is another"
            )
    if found is None:
        others = [name for each, _ in places for name in as_object(each.get("content"))]
        return Result(returns=None, media_type=next(iter(others), "text/plain"))
    media = _find_json(found[0])
    place = join_pointer(found[1], "content", media, "schema")
    return _draft_returns(as_object(found[0]["content"][media]).get("schema", True), place, definitions, losses)


def _resolve_response(response: Any, at: str, definitions: Definitions) -> tuple[Record, str]:
    """Return a response behind a reference, and its JSON pointer."""
    reference = as_object(response).get("$ref")
    target = definitions.find(reference) if isinstance(reference, str) else None
    return (as_object(target.schema), target.pointer) if target else (as_object(response), at)


def _find_json(response: Mapping[str, Any]) -> str:
    """Return the media type of JSON in a response; empty without one."""
    return next((name for name in as_object(response.get("content")) if "json" in name), "")


def _draft_returns(schema: Any, at: str, definitions: Definitions, losses: Losses) -> Result:
    """Return the schema of a response, in an object if it is none."""
    quiet = Losses()
    kinds = definitions.expand(SchemaDrafter(definitions, quiet).draft(schema, at)).get("type")
    if kinds == "object":
        return Result(returns=draft_returns(schema, at, definitions, losses))
    member = "items" if kinds == "array" else "value"
    losses.change(at, "schema", Effect.SAME, f'results are objects in MCP; the response is the member "{member}"')
    drafted = SchemaDrafter(definitions, losses).draft(schema, at)
    whole = {"type": "object", "properties": {member: drafted}, "required": [member], "additionalProperties": False}
    return Result(returns=definitions.limit(whole, at, losses), wrapped=member)


def draft_errors(responses: Mapping[str, Any], at: str, resolve: Resolve, losses: Losses) -> list[Record]:
    """Return an error for each status of a failure; its body is the dialect's."""
    drafted: list[Record] = []
    has_success = any(status.startswith("2") for status in responses)
    for status, response in responses.items():
        place = join_pointer(at, "responses", status)
        if status == "default" and not has_success:  # it is the result
            continue
        if status in {"default", "4XX", "5XX"}:
            losses.drop(place, "responses", Effect.SAME, "contracts name each code; this response stands for many")
        elif status.isdecimal() and 400 <= int(status) <= 599:
            record, where = resolve(response, place, Effect.SAME)
            drafted.append(_draft_error(int(status), as_text(record.get("description"), "")))
            if "content" in record:
                reason = "the dialect has one form for all errors; give the code details"
                losses.drop(join_pointer(where, "content"), "content", Effect.SAME, reason)
    return drafted


def _draft_error(status: int, description: str) -> Record:
    """Return the error of one HTTP status."""
    known = HTTPStatus(status) if status in {*HTTPStatus} else None
    code = known.name if known else f"HTTP_{status}"
    name = str(ClassName(code))
    return {
        "code": code,
        "description": description or (known.phrase if known else f"HTTP status {status}"),
        "http": status,
        **({"retryable": True} if status in RETRYABLE else {}),
        **({"name": f"Http{name}"} if hasattr(builtins, name) else {}),
    }
