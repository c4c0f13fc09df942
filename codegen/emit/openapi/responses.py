"""Responses of operations: bodies, headers and error responses by status."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from codegen.emit.openapi.error_responses import (
    TRANSPORT_ERRORS,
    ErrorResponse,
    describe_unknown_tool_error,
    group_by_status,
    list_tool_errors,
    list_transport_errors,
    merge_by_code,
)
from codegen.emit.openapi.schemas import any_of
from codegen.ir.contract import Contract, Schema, Tool
from codegen.naming import end_sentence

JSON = "application/json"
UNAUTHORIZED = 401
"""The status whose response carries WWW-Authenticate."""
CORRELATION_HEADER: Mapping[str, Any] = {"X-Correlation-ID": {"$ref": "#/components/headers/CorrelationId"}}
DEPRECATION_HEADERS: Mapping[str, Any] = {
    name: {"$ref": f"#/components/headers/{name}"} for name in ("Deprecation", "Sunset", "Link")
}
"""Headers of a response in a deprecated version."""
CHALLENGE_HEADER: Mapping[str, Any] = {"WWW-Authenticate": {"$ref": "#/components/headers/Challenge"}}


def build_success_response(schema: Schema, examples: Mapping[str, Any], tools: Iterable[Tool]) -> dict[str, Any]:
    """Build the response of a successful call of one of the *tools*."""
    is_deprecated = any(older.deprecated_on for tool in tools for older in tool.versions)
    headers = {**CORRELATION_HEADER, **(DEPRECATION_HEADERS if is_deprecated else {})}
    return {"description": "Success.", "headers": headers, "content": build_content(schema, examples)}


def build_responses(contract: Contract, success: Mapping[str, Any], errors: Iterable[ErrorResponse]) -> dict[str, Any]:
    """Build the responses of an operation by status.

    A status with transport errors only refers to the component that all operations share.
    """
    responses: dict[str, Any] = {"200": success}
    transport_errors = list(list_transport_errors(contract.dialect, TRANSPORT_ERRORS))
    for status, group in group_by_status(errors).items():
        is_shared = all(error in transport_errors for error in group)
        reference = {"$ref": f"#/components/responses/Error{status}"}
        responses[str(status)] = reference if is_shared else _build_error_response(group)
    return responses


def build_shared_responses(contract: Contract) -> dict[str, Any]:
    """Build the transport's error responses, which all tools share, by component name."""
    groups = group_by_status(list_transport_errors(contract.dialect, TRANSPORT_ERRORS))
    return {f"Error{status}": _build_error_response(group) for status, group in groups.items()}


def collect_errors(contract: Contract) -> dict[str, ErrorResponse]:
    """Collect every error response of the server, by code."""
    tool_errors = [error for tool in contract.tools for error in list_tool_errors(contract.dialect, tool)]
    unknown_tool = describe_unknown_tool_error(contract.dialect)
    return merge_by_code([*tool_errors, unknown_tool, *list_transport_errors(contract.dialect, TRANSPORT_ERRORS)])


def build_content(schema: Schema, examples: Mapping[str, Any]) -> dict[str, Any]:
    """Build the content of a JSON body."""
    return {JSON: {"schema": schema, **({"examples": examples} if examples else {})}}


def name_examples(values: Iterable[Any]) -> dict[str, Any]:
    """Number examples, so that a request and its response have the same name."""
    return {f"example_{number}": {"value": value} for number, value in enumerate(values, 1)}


def _build_error_response(errors: Sequence[ErrorResponse]) -> dict[str, Any]:
    """Build the response of one error status."""
    examples = {error.code: {"$ref": f"#/components/examples/{error.code}"} for error in errors}
    has_challenge = any(error.status == UNAUTHORIZED for error in errors)
    schema = any_of([{"$ref": f"#/components/schemas/{error.code}"} for error in errors])
    return {
        "description": "\n".join(f"- `{error.code}`: {end_sentence(error.reason)}" for error in errors),
        "headers": {**CORRELATION_HEADER, **(CHALLENGE_HEADER if has_challenge else {})},
        "content": build_content(schema, examples),
    }
