"""Error responses over HTTP: the codes at each status, and the schemas of their details."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, TypeAlias

from toolaccord.contract.dialects import Dialect
from toolaccord.contract.policies import When
from toolaccord.semantics.envelope_schemas import (
    PLACEHOLDER_SCHEMAS,
    build_code_schema,
    build_envelope_schema,
    select_standard_codes,
)
from toolaccord_codegen.emit.openapi.examples import (
    MEASURED,
    build_details_example,
    build_violations_example,
    fill_template,
    get_example_arguments,
)
from toolaccord_codegen.emit.openapi.schemas import any_of, build_object_schema
from toolaccord_codegen.ir.tool import ErrorCode, Schema, Tool
from toolaccord_codegen.loading.json_equality import distinct_json
from toolaccord_codegen.naming import end_sentence

VIOLATIONS: Schema = {"$ref": "#/components/schemas/Violations"}
FIRST_FIELD: Schema = {
    "type": "string",
    "description": "JSON pointer of the first of the invalid arguments, without its first slash",
}
VIOLATION_LIST: Schema = {
    "type": "array",
    "minItems": 1,
    "maxItems": 100,
    "items": build_object_schema(
        {
            "at": {
                "type": "string",
                "description": "JSON pointer of the argument, also of a missing or unknown one",
            },
            "keyword": {
                "type": "string",
                "description": "Violated keyword of the schema, or name of the violated rule",
            },
            "message": {"type": "string"},
        }
    ),
}
EMPTY: Schema = {"type": "object", "maxProperties": 0}
DETAILS: Mapping[str, Schema] = {
    "versions": {"type": "array", "minItems": 1, "items": {"type": "string"}},
    "sunset_on": {"type": "string", "format": "date"},
    "successor": {"type": "string"},
    "service": {"type": "string", "description": "Kind of the source that failed"},
    "tool": {"type": "string"},
    "timeout_ms": {"type": "integer", "description": "Deadline of the tool in milliseconds"},
    "idempotency_key": {"type": "string"},
    "limit": {"type": "integer", "description": "Number of calls that are allowed"},
    "window_s": {"type": "integer", "description": "Seconds in which they are allowed"},
    "retry_after_s": {"type": "integer", "minimum": 1, "description": "Seconds until a call is allowed again"},
}
"""Values that a dialect may put into the details of errors outside the handlers."""
OPTIONAL_DETAILS = frozenset({"service"})
"""Those of them that are not always known."""
ITEMS_BY_TYPE: Mapping[str, Schema] = {"array": {"items": {"type": "object"}}}
"""Keywords that a detail needs beside its type."""
TRANSPORT_ERRORS = {
    400: ("arguments", "The body is not a JSON object"),
    401: ("access", "The request carries no valid token"),
    403: ("access", "The request comes from a web page of a foreign origin"),
    408: ("arguments", "The body did not arrive in time"),
    413: ("arguments", "The body is too large"),
    415: ("arguments", "The body is not application/json"),
    421: ("access", "The request names a host that is not this server"),
    500: ("internal", "The server failed; its log has the reason"),
    503: ("internal", "The server is stopping"),
}
"""Rejections by the transport before any tool runs: occasion and reason, by status."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorResponse:
    """One error code at one status."""

    status: int
    code: str
    retryable: bool
    reason: str
    details: tuple[Schema, ...]
    """The schemas of its details, one for each cause."""
    example: Mapping[str, Any]
    """The failure envelope with this code."""


StatusGroups: TypeAlias = Mapping[int, Sequence[ErrorResponse]]
"""Errors of an operation by status."""


def list_transport_errors(dialect: Dialect, statuses: Iterable[int]) -> Iterator[ErrorResponse]:
    """List the rejections by the transport at these statuses."""
    for status in statuses:
        occasion, reason = TRANSPORT_ERRORS[status]
        yield _build_plain_error(dialect, status, dialect.occasion_codes[occasion], reason)


def describe_missing_scope_error(dialect: Dialect) -> ErrorResponse:
    """Describe the rejection of a token without the scopes of a call."""
    return _build_plain_error(dialect, 403, dialect.occasions.access, "The token lacks a scope")


def describe_unknown_tool_error(dialect: Dialect) -> ErrorResponse:
    """Describe the rejection of a call of an unknown tool."""
    code = dialect.occasions.unknown_tool
    return _build_plain_error(dialect, 404, code, dialect.codes[code].description)


def list_task_errors(dialect: Dialect) -> Iterator[ErrorResponse]:
    """List the rejections of a request for a task: the caller has none, or nobody can tell."""
    yield _build_plain_error(dialect, 404, dialect.occasions.unknown_tool, "The caller has no such task")
    yield _build_plain_error(dialect, 503, dialect.occasions.internal, "The store of the tasks does not respond")


def _build_plain_error(dialect: Dialect, status: int, code: str, reason: str) -> ErrorResponse:
    """Build an error response without details."""
    example = _build_failure_example(dialect, None, code, reason, {})
    retryable = dialect.codes[code].retryable
    return ErrorResponse(
        status=status, code=code, retryable=retryable, reason=reason, details=(EMPTY,), example=example
    )


def list_tool_errors(dialect: Dialect, tool: Tool) -> Iterator[ErrorResponse]:
    """List the errors of a call that reaches the tool: its own, then the dialect's."""
    for error in tool.errors:
        schemas, details = _describe_own_details(dialect, tool, error)
        yield ErrorResponse(
            status=error.http,
            code=error.code,
            retryable=error.retryable,
            reason=error.description,
            details=schemas,
            example=_build_failure_example(dialect, tool, error.code, error.description, details),
        )
    for occasion, code in select_standard_codes(dialect, tool).items():
        standard = dialect.codes[code]
        reason = standard.description
        schema, details = _describe_standard_details(dialect, tool, occasion)
        yield ErrorResponse(
            status=standard.http,
            code=code,
            retryable=standard.retryable,
            reason=reason,
            details=(schema,),
            example=_build_failure_example(dialect, tool, code, reason, details),
        )


def _describe_standard_details(dialect: Dialect, tool: Tool, occasion: str) -> tuple[Schema, Mapping[str, Any]]:
    """Return the schema and an example of the details of errors on an occasion."""
    if occasion == "arguments":
        return VIOLATIONS, build_violations_example(dialect, "/unknown", "additionalProperties")
    names = dialect.details.get(occasion, ())
    schemas = {name: DETAILS[name] for name in names}
    optional = {name: schemas.pop(name) for name in names if name in OPTIONAL_DETAILS}
    values = _list_example_values(tool)
    schema = build_object_schema(schemas, **optional) if names else EMPTY
    return schema, {name: values[name] for name in names if values[name] is not None}


def _list_example_values(tool: Tool) -> dict[str, Any]:
    """Return examples of the values in the details of errors outside the handlers."""
    return {
        "versions": tool.all_versions,
        "sunset_on": next((str(older.sunset_on) for older in tool.versions if older.sunset_on), None),
        "successor": tool.version,
        "service": None,
        "tool": tool.name,
        "timeout_ms": tool.timeout_ms,
        "idempotency_key": "order-1",
        "limit": tool.rate_limit and tool.rate_limit.calls,
        "window_s": tool.rate_limit and tool.rate_limit.window_s,
        "retry_after_s": 1,
    }


def _describe_own_details(
    dialect: Dialect, tool: Tool, error: ErrorCode
) -> tuple[tuple[Schema, ...], Mapping[str, Any]]:
    """Return the schemas and an example of the details of a tool's own code.

    They are violations where arguments cause the error, and the declared details where the handler raises it.
    """
    declared = _build_details_schema(error.details) if error.details else EMPTY
    when = error.when or When()
    if when.occasion:
        schema, details = _describe_standard_details(dialect, tool, when.occasion)
        return tuple(distinct_json([schema, declared])), details
    if when.at:
        return (VIOLATIONS, declared), build_violations_example(dialect, when.at[0], when.keyword or "type")
    for condition in tool.argument_conditions:
        if condition.code == error.code:
            example = build_violations_example(dialect, condition.blamed_pointer, condition.keyword)
            return (VIOLATIONS, declared), example
    return (declared,), build_details_example(error, get_example_arguments(tool))


def _build_details_schema(details: Mapping[str, Schema]) -> Schema:
    """Build the schema of the details that an error declares."""
    return build_object_schema(
        {name: {**detail, **ITEMS_BY_TYPE.get(detail["type"], {})} for name, detail in details.items()}
    )


def _build_failure_example(
    dialect: Dialect, tool: Tool | None, code: str, reason: str, details: Mapping[str, Any]
) -> dict[str, Any]:
    """Build an example of the failure envelope."""
    own = [error.jsonrpc for error in tool.errors if error.code == code] if tool else []
    number = own[0] if own else dialect.codes[code].jsonrpc
    values = {**MEASURED, "source": None, "code": code, "jsonrpc_code": number, "details": details}
    values["message"] = end_sentence(reason)
    if tool is None:
        return dict(fill_template(dialect.failure, values, {}, {}))
    return dict(fill_template(dialect.failure, values, tool.returns, get_example_arguments(tool)))


def group_by_status(errors: Iterable[ErrorResponse]) -> dict[int, list[ErrorResponse]]:
    """Group errors by status, sorted, with each code once in a group."""
    groups: dict[int, list[ErrorResponse]] = {}
    for error in errors:
        groups.setdefault(error.status, []).append(error)
    return {status: list(merge_by_code(group).values()) for status, group in sorted(groups.items())}


def merge_by_code(errors: Iterable[ErrorResponse]) -> dict[str, ErrorResponse]:
    """Merge errors of the same code, whatever their status."""
    merged: dict[str, ErrorResponse] = {}
    for error in errors:
        known = merged.get(error.code)
        merged[error.code] = _merge(known, error) if known else error
    return merged


def _merge(first: ErrorResponse, second: ErrorResponse) -> ErrorResponse:
    """Merge two errors of the same code: both reasons, and the details of both."""
    reasons = distinct_json([end_sentence(first.reason), end_sentence(second.reason)])
    details = distinct_json([*first.details, *second.details])
    return replace(first, reason=" ".join(reasons), details=tuple(details))


def share_responses(
    transport: StatusGroups, operations: Iterable[StatusGroups]
) -> dict[str, tuple[int, Sequence[ErrorResponse]]]:
    """Choose the responses of the transport and of several operations, by component name."""
    shared = {f"Error{status}": (status, errors) for status, errors in transport.items()}
    texts = {(status, describe_errors(errors)) for status, errors in shared.values()}
    found = Counter[tuple[int, str]]()
    for status, errors in chain.from_iterable(groups.items() for groups in operations):
        text = status, describe_errors(errors)
        found[text] += 1
        if found[text] == 2 and text not in texts:
            shared.setdefault("_".join([f"Error{status}", *(error.code for error in errors)]), (status, errors))
    return shared


def build_violations_schema(dialect: Dialect) -> Schema:
    """Build the schema of the details of invalid arguments."""
    names = dialect.details["arguments"]
    required = {"violations": VIOLATION_LIST} if "violations" in names else {}
    return build_object_schema(required, **({"field": FIRST_FIELD} if "field" in names else {}))


def build_failure_schema(dialect: Dialect, error: ErrorResponse) -> Schema:
    """Build the schema of the failure envelope with one code."""
    values = {**PLACEHOLDER_SCHEMAS, "code": build_code_schema([error.code]), "details": any_of(error.details)}
    return build_envelope_schema(dialect.failure, values)


def describe_errors(errors: Iterable[ErrorResponse]) -> str:
    """Describe the errors at one status as a list in Markdown."""
    return "\n".join(
        f"- `{error.code}`: {end_sentence(error.reason)}{' Retryable.' if error.retryable else ''}" for error in errors
    )
