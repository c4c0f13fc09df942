"""What a request over HTTP can be refused with: the codes at each status, and what their details hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from codegen.emit.envelopes import FIXED, code_schema, envelope, unbound
from codegen.emit.openapi.examples import MEASURED, details_of, filled, usual_arguments, violations_at
from codegen.ir.contract import Dialect, ErrorCode, Schema, Tool
from codegen.naming import end_sentence

VIOLATIONS: Schema = {"$ref": "#/components/schemas/Violations"}
EMPTY: Schema = {"type": "object", "maxProperties": 0}
LIVE: Schema = {
    "type": "object",
    "properties": {"versions": {"type": "array", "minItems": 1, "items": {"type": "string"}}},
    "required": ["versions"],
    "additionalProperties": False,
}
"""What is said of a version that the tool has not: those it has."""
ENDED: Schema = {
    "type": "object",
    "properties": {"sunset_on": {"type": "string", "format": "date"}, "successor": {"type": "string"}},
    "required": ["sunset_on", "successor"],
    "additionalProperties": False,
}
"""What is said of a version that is answered no more: its last day, and which one to call."""
ITEMS: Mapping[str, Schema] = {"array": {"items": {"type": "object"}}}
"""What belongs to the type of a detail."""
TRANSPORT = {
    400: ("arguments", "The body is not a JSON object"),
    401: ("access", "The request carries no token that the server knows"),
    403: ("access", "The request comes from a web page of a foreign origin"),
    408: ("arguments", "The body did not arrive in time"),
    413: ("arguments", "The body is too large"),
    415: ("arguments", "The body is not application/json"),
    421: ("access", "The request names a host that is not this server"),
    500: ("internal", "The server failed; its log says why"),
    503: ("internal", "The server is stopping"),
}
"""What the transport refuses before a tool is reached, by status: the occasion whose code is answered, and why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """One code at one status."""

    status: int
    code: str
    why: str
    details: tuple[Schema, ...]
    """The schemas of what its details may be."""
    example: Mapping[str, Any]
    """The envelope of failure with this code."""


def of_transport(dialect: Dialect, statuses: Iterable[int]) -> Iterator[Refusal]:
    """What is refused before a tool is reached."""
    for status in statuses:
        occasion, why = TRANSPORT[status]
        yield refusal(dialect, status, dialect.occasions[occasion], why)


def of_unknown_tool(dialect: Dialect) -> Refusal:
    """What a call of a tool that does not exist is refused with."""
    code = dialect.occasions["unknown_tool"]
    return refusal(dialect, 404, code, dialect.codes[code]["description"])


def refusal(dialect: Dialect, status: int, code: str, why: str) -> Refusal:
    """A refusal of which nothing more is known."""
    return Refusal(status=status, code=code, why=why, details=(EMPTY,), example=failure(dialect, None, code, why, {}))


def of_tool(dialect: Dialect, tool: Tool) -> Iterator[Refusal]:
    """What a call that reaches the tool can fail with."""
    for error in tool.errors:
        forms, details = forms_of(tool, error)
        example = failure(dialect, tool, error.code, error.description, details)
        yield Refusal(status=error.http, code=error.code, why=error.description, details=forms, example=example)
    for occasion, code in unbound(dialect, tool).items():
        standard = dialect.codes[code]
        why = standard["description"]
        form, details = of_occasion(tool, occasion)
        yield Refusal(
            status=int(standard["http"]),
            code=code,
            why=why,
            details=(form,),
            example=failure(dialect, tool, code, why, details),
        )


def of_occasion(tool: Tool, occasion: str) -> tuple[Schema, Mapping[str, Any]]:
    """The schema of the details that the dialect's code has on an occasion, and an example."""
    if occasion == "arguments":
        return VIOLATIONS, violations_at("/unknown", "additionalProperties")
    if occasion == "version":
        return LIVE, {"versions": tool.all_versions}
    if occasion == "sunset":
        ended = next(str(older.sunset_on) for older in tool.versions if older.sunset_on)
        return ENDED, {"sunset_on": ended, "successor": tool.version}
    return EMPTY, {}


def forms_of(tool: Tool, error: ErrorCode) -> tuple[tuple[Schema, ...], Mapping[str, Any]]:
    """The schemas of what a code's details may be, and an example: what the handler says, or which rule is broken."""
    said = details_of(error, usual_arguments(tool))
    own = declared(error.details) if error.details else EMPTY
    when = error.when or {}
    if "occasion" in when:
        return tuple(unique([EMPTY, own])), {}
    if "at" in when:
        return (VIOLATIONS, own), violations_at(when["at"][0], when.get("keyword", "type"))
    for condition in tool.conditions:
        if condition.code == error.code:
            return (VIOLATIONS, own), violations_at(*condition.violation)
    return (own,), said


def declared(details: Mapping[str, Schema]) -> Schema:
    """The schema of details that an error declares."""
    members = {name: {**detail, **ITEMS.get(detail["type"], {})} for name, detail in details.items()}
    return {"type": "object", "properties": members, "required": list(members), "additionalProperties": False}


def failure(dialect: Dialect, tool: Tool | None, code: str, why: str, details: Mapping[str, Any]) -> dict[str, Any]:
    """An example of the envelope of failure."""
    values = {**MEASURED, "source": None, "code": code, "message": end_sentence(why), "details": details}
    if tool is None:
        return dict(filled(dialect.failure, values, {}, {}))
    return dict(filled(dialect.failure, values, tool.returns, usual_arguments(tool)))


def by_status(refusals: Iterable[Refusal]) -> dict[int, list[Refusal]]:
    """The refusals of each status, a code once."""
    found: dict[int, list[Refusal]] = {}
    for each in refusals:
        found.setdefault(each.status, []).append(each)
    return {status: list(by_code(alike).values()) for status, alike in sorted(found.items())}


def merged(first: Refusal, second: Refusal) -> Refusal:
    """The same code, for either reason."""
    return Refusal(
        status=first.status,
        code=first.code,
        why=" ".join(unique([end_sentence(first.why), end_sentence(second.why)])),
        details=tuple(unique([*first.details, *second.details])),
        example=first.example,
    )


def by_code(refusals: Iterable[Refusal]) -> dict[str, Refusal]:
    """The refusals, a code once, whatever its status."""
    found: dict[str, Refusal] = {}
    for each in refusals:
        known = found.get(each.code)
        found[each.code] = merged(known, each) if known else each
    return found


def failure_schema(dialect: Dialect, refusal: Refusal) -> Schema:
    """The schema of the envelope of failure with one code."""
    values = {**FIXED, "code": code_schema([refusal.code]), "details": any_of(refusal.details)}
    return envelope(dialect.failure, values)


def any_of(schemas: Sequence[Schema]) -> Schema:
    """The schema of what one of these takes."""
    return schemas[0] if len(schemas) == 1 else {"anyOf": list(schemas)}


def unique(values: Iterable[Any]) -> list[Any]:
    """The values, each once, in order; they need not be hashable."""
    found: list[Any] = []
    for value in values:
        if value not in found:
            found.append(value)
    return found
