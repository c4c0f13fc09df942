"""Compare the error codes of a tool."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolaccord.contract.dialects import StandardCode
from toolaccord.contract.operations import Error
from toolaccord.contract.policies import When
from toolaccord.contract.server_contracts import ServerContract
from toolaccord_codegen.breaking.changes import Change
from toolaccord_codegen.breaking.compare.asks import list_operations
from toolaccord_codegen.breaking.compare.contract_pair import ContractPair, Surroundings
from toolaccord_codegen.breaking.compare.fields import field_changes
from toolaccord_codegen.breaking.compare.schemas.keyword_change import format_value
from toolaccord_codegen.breaking.rule import Direction
from toolaccord_codegen.loading.json_equality import equal_json
from toolaccord_codegen.loading.schema_nodes import ContractValue
from toolaccord_codegen.naming import ClassName


def error_changes(tool: ContractPair) -> Iterator[Change]:
    """Yield the changes of a tool's error codes."""
    before, after = (side.listed_by("errors", "code") for side in (tool.old, tool.new))
    moved = {code for code in before.keys() ^ after.keys() if _is_of_dialect(tool, code, {**before, **after}[code])}
    for code, error in before.items():
        if code in after or code in moved:
            pair = tool.pair(error, after.get(code, error), tool=tool.tool, direction=Direction.OUTPUT, label=code)
            yield from _code_changes(pair) if code in after else _status_changes(pair, code, is_gone=(False, True))
        else:
            message, place = f"{code} is no longer returned", error.place.at("code")
            yield tool.change(
                "ERROR_CODE_REMOVED", message, "errors", detail=code, old=place, direction=Direction.OUTPUT
            )
    for code, error in after.items():
        if code in moved and code not in before:
            pair = tool.pair(error, error, tool=tool.tool, direction=Direction.OUTPUT, label=code)
            yield from _status_changes(pair, code, is_gone=(True, False))
        elif code not in before:
            message, place = f"{code} is a new error code", error.place.at("code")
            yield tool.change("ERROR_CODE_ADDED", message, "errors", detail=code, new=place, direction=Direction.OUTPUT)
    old = [code for code, error in before.items() if code in after and error.at("when", "at").value]
    new = [code for code in after if code in old]
    if old != new:
        text = f"where several codes match, the first of {', '.join(new)} is returned; before, of {', '.join(old)}"
        yield tool.change("ERROR_BINDING_CHANGED", text, "errors", detail="order", direction=Direction.OUTPUT)


def _code_changes(error: ContractPair) -> Iterator[Change]:
    """Yield the changes of one error code."""
    yield from _status_changes(error, error.label)
    yield from field_changes(error, Error)
    old, new = error.records(Error)
    names = [side.name or ClassName(error.label) for side in (old, new)]
    if names[0] != names[1]:
        text = f"typed clients raise it as {names[1]} instead of {names[0]}"
        yield error.change("ERROR_NAME_CHANGED", text, "name", detail="name")
    if not equal_json(*(_unordered(side.when) for side in (old, new))):
        before, after = map(_describe_binding, error.values("when"))
        yield error.change("ERROR_BINDING_CHANGED", f"it is now returned {after} instead of {before}", "when")
    for name in {**old.details, **new.details}:
        was, now = (side.details.get(name, {}).get("type") for side in (old, new))
        if name not in new.details:
            rule, text = "ERROR_DETAIL_REMOVED", f'the details no longer have "{name}"'
        elif name not in old.details:
            rule, text = "ERROR_DETAIL_ADDED", f'the details now have "{name}"'
        else:
            rule, text = "ERROR_DETAIL_CHANGED", f'"{name}" changed from type {was} to {now}'
        if was != now:
            at = ("details", name, "type") if rule == "ERROR_DETAIL_CHANGED" else ("details", name)
            yield error.change(rule, text, *at, detail=f"/{name}")


def visible_occasions(around: Surroundings) -> list[str]:
    """List the occasions for which some tool, resource or prompt has the dialect's code."""
    before, after = (dict(_list_bound(contract)) for contract in around.contracts)
    bound = [occasions | after[part] for part, occasions in before.items() if part in after]
    return [name for name in around.dialects[0].occasion_codes if not bound or any(name not in each for each in bound)]


def visible_codes(around: Surroundings) -> list[str]:
    """List the codes of dialects that callers of both states see on some occasion."""
    sides = [dialect.occasion_codes for dialect in around.dialects]
    return list(dict.fromkeys(side[name] for name in visible_occasions(around) for side in sides if name in side))


def _list_bound(contract: ServerContract) -> Iterator[tuple[tuple[type, str], set[str | None]]]:
    """Yield what has a handler, and the occasions for which it has a code of its own."""
    for key, part in list_operations(contract).items():
        if not getattr(part, "static", None) and not getattr(part, "messages", None):
            yield key, {error.when.occasion if error.when else None for error in part.errors}


def _is_of_dialect(tool: ContractPair, code: str, error: ContractValue) -> bool:
    """Return True if the dialect of a state has a code for the occasion of a tool's."""
    occasion = error.at("when", "occasion").value
    return any(dialect.occasion_codes.get(occasion) == code for dialect in tool.around.dialects)


def _status_changes(error: ContractPair, code: str, *, is_gone: tuple[bool, bool] = (False, False)) -> Iterator[Change]:
    """Yield the changes of a code's status, number and retries, the dialect's where it has them.

    A side that *is_gone* has the code of the dialect alone. The dialect's own changes are not repeated.
    """
    own = [{} if gone else side.value for gone, side in zip(is_gone, (error.old, error.new), strict=True)]
    standard = [dialect.codes.get(code) for dialect in error.around.dialects]
    if all(standard) and code in visible_codes(error.around):
        return
    seen = [{**facts, **(_list_facts(each) if each else {})} for facts, each in zip(own, standard, strict=True)]
    yield from status_changes(error, seen[0].get("http"), seen[1].get("http"))
    yield from number_changes(error, seen[0].get("jsonrpc"), seen[1].get("jsonrpc"))
    yield from retryable_changes(error, bool(seen[0].get("retryable")), bool(seen[1].get("retryable")))


def _list_facts(standard: StandardCode) -> dict[str, Any]:
    """List the facts that a dialect has of a standard code."""
    facts = {"http": standard.http or None, "jsonrpc": standard.jsonrpc, "retryable": standard.retryable}
    return {name: fact for name, fact in facts.items() if fact is not None}


def status_changes(error: ContractPair, before: Any, after: Any) -> Iterator[Change]:
    """Yield the change of an HTTP status that both sides have."""
    if isinstance(before, int) and isinstance(after, int) and before != after:
        rule = "ERROR_STATUS_CHANGED" if before // 100 == after // 100 else "ERROR_CLASS_CHANGED"
        yield error.change(rule, f"the HTTP status changed from {before} to {after}", "http")


def number_changes(error: ContractPair, before: Any, after: Any) -> Iterator[Change]:
    """Yield the change of an error code's number in JSON-RPC that both sides have."""
    if None not in {before, after} and before != after:
        text = f"the number changed from {before} to {after}"
        yield error.change("ERROR_NUMBER_CHANGED", text, "jsonrpc", detail="jsonrpc")


def retryable_changes(error: ContractPair, before: bool, after: bool) -> Iterator[Change]:  # noqa: FBT001 - two states
    """Yield the change of an error code that turns retryable, or not retryable."""
    if before and not after:
        yield error.change("ERROR_RETRYABLE_REMOVED", "it is no longer retryable", "retryable", detail="retryable")
    elif after and not before:
        yield error.change("ERROR_RETRYABLE_ADDED", "it is now retryable", "retryable", detail="retryable")


def _unordered(when: When | None) -> Any:
    """Return the occasion of an error code with its arguments sorted."""
    return when and [sorted(when.at), when.keyword, when.occasion]


def _describe_binding(when: Any) -> str:
    """Return the occasion of an error code for a message."""
    return "by the handler" if when is None else f"when {format_value(when)}"
