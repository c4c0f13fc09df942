"""Values and models out of the text of a response."""

from __future__ import annotations

import base64
import logging
from typing import Any

from pydantic import ValidationError
from pydantic_core import from_json

from toolaccord.client.connection import ToolResponse
from toolaccord.contract.dialects import Dialect
from toolaccord.declarations.envelopes import extract_values
from toolaccord.errors import BrokenAnswer
from toolaccord.json_values import JsonObject

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
