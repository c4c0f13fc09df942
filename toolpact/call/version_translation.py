"""From an older version of a tool to its newest and back: arguments on their way up, and a result on its way down."""

from __future__ import annotations

import json
from typing import Any

from toolpact.call.context import BoundTool
from toolpact.call.results import BrokenResultError
from toolpact.json_values import JsonObject
from toolpact.schema.violations import sentences
from toolpact.versioning.upgrade_path import Passage


class BrokenRequestError(Exception):
    """Arguments that an older version admits have become what the newest does not: a mapping or a lookup is at fault."""


async def upgraded(bound: BoundTool, passage: Passage, arguments: JsonObject, call: Any) -> JsonObject:
    """Return *arguments* that the older version admits as the newest has them; *call* is the record that lookups are given.

    Raises BrokenRequestError, and what a lookup raises.
    """
    newest = await passage.upgraded_with(arguments, call) if passage.requests_ask else passage.upgraded(arguments)
    if violations := bound.parameters.violations(newest):
        raise BrokenRequestError(f"{bound.tool.name} {passage.version.version}: {sentences(violations)}")
    return newest


async def downgraded(bound: BoundTool, passage: Passage, result: bytes, call: Any) -> bytes:
    """Return a *result* of the newest version as the older one has it, both as JSON; *call* is the record that lookups are given.

    Raises BrokenResultError where the older version does not admit it, and what a lookup raises.
    """
    newest: JsonObject = json.loads(result)  # which reads integers of any size
    older = await passage.downgraded_with(newest, call) if passage.results_ask else passage.downgraded(newest)
    said = passage.returns.encoded(older)
    if not isinstance(said, bytes):
        raise BrokenResultError(f"{bound.tool.name} {passage.version.version}: {sentences(said)}")
    return said
