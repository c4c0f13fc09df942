"""Parsing of answers: models and typed errors out of a dialect's envelopes."""

from __future__ import annotations

import base64
import logging
from collections.abc import Collection
from typing import Any

from pydantic import ValidationError
from pydantic_core import from_json

from toolpact.client.connection import ToolResponse
from toolpact.declarations.dialects import Dialect
from toolpact.declarations.envelopes import extract_values
from toolpact.errors import BrokenAnswer, ToolError, UndeclaredError
from toolpact.json_values import JsonObject

_LOG = logging.getLogger(__name__)


def parse_envelope(dialect: Dialect, sender: str, response: ToolResponse) -> JsonObject:
    """Return the values of the envelope's placeholders in *response*. Raises BrokenAnswer.

    Messages begin with *sender*, such as `strategy-mcp answered get_top_strategies`.
    """
    template, required = (dialect.failure, "code") if response.is_error else (dialect.success, "result")
    try:
        values = extract_values(template, from_json(response.text))
    except ValueError as error:
        raise BrokenAnswer(f"{sender} with invalid JSON: {error}") from error
    if required not in values:
        raise BrokenAnswer(f"{sender} in another form than dialect {dialect.name}: {response.text}")
    return values


def parse_result(model: type[Any], sender: str, value: Any) -> Any:
    """Return *value* as a *model*, with unknown members in `model_extra`. Raises BrokenAnswer."""
    try:
        return model.model_validate(value)
    except ValidationError:
        _LOG.debug("%s with a result that does not validate strictly; unknown members are now allowed", sender)
    try:
        return model.model_validate(value, extra="allow")
    except ValidationError as error:
        raise BrokenAnswer(f"{sender} with a result that breaks its contract: {error}") from error


def parse_resource(kind: type[Any], sender: str, text: str) -> Any:
    """Return the content that a server sent as *text*. Raises BrokenAnswer.

    *kind* is `str`, `bytes` for a text in base64, or a Pydantic model for JSON.
    """
    if kind is str:
        return text
    try:
        return base64.b64decode(text, validate=True) if kind is bytes else parse_result(kind, sender, from_json(text))
    except ValueError as error:
        raise BrokenAnswer(f"{sender} with a content of another kind: {error}") from error


def build_error(
    dialect: Dialect, declared: Collection[type[ToolError]], values: JsonObject
) -> ToolError | UndeclaredError:
    """Return the error that *values* of the failure envelope describe.

    The tool has *declared* the classes of its errors.
    """
    code, message, details = values["code"], values.get("message", ""), values.get("details")
    if not isinstance(details, dict):
        details = {}  # a server of another make may send null or a list
    for each in declared:
        if each.code == code:
            return each.received(message, details)
    standard = dialect.codes.get(code)
    return UndeclaredError(code, message, details, retryable=standard is not None and standard.retryable)
