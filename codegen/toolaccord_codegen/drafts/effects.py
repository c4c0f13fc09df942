"""Effects of tools, read from the annotations that hosts see."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolaccord_codegen.drafts.contract import UPSTREAM
from toolaccord_codegen.drafts.losses import Effect, Losses
from toolaccord_codegen.loading.references import as_object

DEFAULTS = {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": False, "openWorldHint": True}
"""Hints of a tool without annotations, as MCP defines them."""


def draft_effects(annotations: Any, losses: Losses, *, forwards: bool) -> dict[str, Any]:
    """Return the effects of a tool; note each hint that hosts will see otherwise.

    A tool that *forwards* reads the original server at least.
    """
    given = {key: value for key, value in as_object(annotations).items() if key in DEFAULTS and isinstance(value, bool)}
    hints = DEFAULTS | given
    is_read_only, is_open = hints["readOnlyHint"], forwards or hints["openWorldHint"]
    is_destructive = not is_read_only and hints["destructiveHint"]
    derived = {
        "readOnlyHint": is_read_only,
        "destructiveHint": is_destructive,
        "idempotentHint": is_read_only,
        "openWorldHint": is_open or not is_read_only,
    }
    _note_differences(given, derived, losses)
    for key in as_object(annotations).keys() - DEFAULTS.keys() - {"title"}:
        losses.drop(f"/annotations/{key}", "annotations", Effect.SAME, "the language has no such annotation")
    if is_read_only:
        return {"reads": [UPSTREAM]} if is_open else {"elsewhere": "nothing"}
    return {"writes" if is_destructive else "adds": [UPSTREAM]}


def _note_differences(given: Mapping[str, bool], derived: Mapping[str, bool], losses: Losses) -> None:
    """Note each hint that the effects do not express.

    For a tool that only reads, MCP gives destructiveHint and idempotentHint no meaning.
    """
    meaningless = {"destructiveHint", "idempotentHint"} if derived["readOnlyHint"] else set()
    for key, value in given.items():
        if value != derived[key] and key not in meaningless:
            reason = f"hosts see {str(derived[key]).lower()}, which follows from the effects; name the real sources"
            losses.change(f"/annotations/{key}", key, Effect.SAME, reason)
