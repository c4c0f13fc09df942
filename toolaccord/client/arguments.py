"""Checks of arguments before a client sends them."""

from __future__ import annotations

from functools import cache
from typing import Any

from toolaccord.client.answers import build_error
from toolaccord.client.declarations import RemoteTool
from toolaccord.contract.dialects import Dialect
from toolaccord.json_values import JsonObject
from toolaccord.schema.validator import SchemaValidator


def check_arguments(tool: RemoteTool[Any, Any], arguments: JsonObject, dialect: Dialect) -> None:
    """Raise the error that the server would answer if *arguments* break the contract of *tool*."""
    found = _validator(tool).violations(arguments)
    if not found:
        return
    from toolaccord.call.rejection import invalid_arguments  # noqa: PLC0415 - few clients need it

    failure = invalid_arguments(tool.errors, dialect, found, found)
    values = {"code": failure.code, "message": failure.message, "details": failure.details}
    error = build_error(dialect, tool.errors, values)
    error.add_note(f"{tool.name} was not called.")
    raise error


@cache
def _validator(tool: RemoteTool[Any, Any]) -> SchemaValidator:
    """Return the validator of a tool, which all its clients share."""
    return SchemaValidator(tool.parameters or {})
