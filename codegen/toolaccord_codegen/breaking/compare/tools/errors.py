"""Compare the error codes of a tool."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolaccord_codegen.breaking.changes import Change
from toolaccord_codegen.breaking.compare.contract_pair import ContractPair
from toolaccord_codegen.breaking.compare.schemas.keyword_change import format_value
from toolaccord_codegen.breaking.rule import Direction
from toolaccord_codegen.loading.json_equality import equal_json
from toolaccord_codegen.loading.references import as_array, as_object


def error_changes(tool: ContractPair) -> Iterator[Change]:
    """Yield the changes of a tool's error codes."""
    before, after = (side.listed_by("errors", "code") for side in (tool.old, tool.new))
    for code, error in before.items():
        if code in after:
            pair = ContractPair(old=error, new=after[code], tool=tool.tool, direction=Direction.OUTPUT, label=code)
            yield from _code_changes(pair)
        else:
            message, place = f"{code} is no longer returned", error.place.at("code")
            yield tool.change(
                "ERROR_CODE_REMOVED", message, "errors", detail=code, old=place, direction=Direction.OUTPUT
            )
    for code, error in after.items():
        if code not in before:
            message, place = f"{code} is a new error code", error.place.at("code")
            yield tool.change("ERROR_CODE_ADDED", message, "errors", detail=code, new=place, direction=Direction.OUTPUT)
    old = [code for code in before if code in after and "at" in as_object(as_object(before[code].value).get("when"))]
    new = [code for code in after if code in old]
    if old != new:
        text = f"where several codes match, the first of {', '.join(new)} is returned; before, of {', '.join(old)}"
        yield tool.change("ERROR_BINDING_CHANGED", text, "errors", detail="order", direction=Direction.OUTPUT)


def _code_changes(error: ContractPair) -> Iterator[Change]:
    """Yield the changes of one error code."""
    before, after = error.values("http")
    if isinstance(before, int) and isinstance(after, int):
        rule = "ERROR_STATUS_CHANGED" if before // 100 == after // 100 else "ERROR_CLASS_CHANGED"
        yield from error.value_change(rule, "http", noun="the HTTP status")
    yield from number_changes(error)
    old, new = error.values("when")
    if not equal_json(_unordered(old), _unordered(new)):
        text = f"it is now returned {_describe_binding(new)} instead of {_describe_binding(old)}"
        yield error.change("ERROR_BINDING_CHANGED", text, "when")
    yield from retryable_changes(error, *map(bool, error.values("retryable")))
    yield from error.text_change("DESCRIPTION_CHANGED", "description")
    for name in error.old.items("details") | error.new.items("details"):
        old, new = error.values("details", name)
        detail = f"/{name}"
        if new is None:
            text = f'the details no longer have "{name}"'
            yield error.change("ERROR_DETAIL_REMOVED", text, "details", name, detail=detail)
        elif old is None:
            yield error.change("ERROR_DETAIL_ADDED", f'the details now have "{name}"', "details", name, detail=detail)
        elif as_object(old).get("type") != as_object(new).get("type"):
            text = f'"{name}" changed from type {old.get("type")} to {new.get("type")}'
            yield error.change("ERROR_DETAIL_CHANGED", text, "details", name, "type", detail=detail)


def number_changes(error: ContractPair) -> Iterator[Change]:
    """Yield the change of an error code's number in JSON-RPC that both sides have."""
    if None not in error.values("jsonrpc"):
        yield from error.value_change("ERROR_NUMBER_CHANGED", "jsonrpc", noun="the number", detail="jsonrpc")


def retryable_changes(error: ContractPair, before: bool, after: bool) -> Iterator[Change]:  # noqa: FBT001 - two states
    """Yield the change of an error code that turns retryable, or not retryable."""
    if before and not after:
        yield error.change("ERROR_RETRYABLE_REMOVED", "it is no longer retryable", "retryable", detail="retryable")
    elif after and not before:
        yield error.change("ERROR_RETRYABLE_ADDED", "it is now retryable", "retryable", detail="retryable")


def _unordered(when: Any) -> Any:
    """Return the occasion of an error code with its arguments sorted."""
    return {**when, "at": sorted(map(str, as_array(when["at"])))} if "at" in as_object(when) else when


def _describe_binding(when: Any) -> str:
    """Return the occasion of an error code for a message."""
    return "by the handler" if when is None else f"when {format_value(when)}"
