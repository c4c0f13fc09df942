"""Compare the dialect of a server: its envelope and its standard codes."""

from __future__ import annotations

from collections.abc import Iterator

from toolaccord.semantics.envelope_schemas import omit_replayed
from toolaccord_codegen.breaking.changes import Change
from toolaccord_codegen.breaking.compare.contract_pair import ContractPair
from toolaccord_codegen.breaking.compare.schemas.keyword_change import format_optional
from toolaccord_codegen.breaking.compare.tools.errors import (
    number_changes,
    retryable_changes,
    status_changes,
    visible_codes,
    visible_occasions,
)
from toolaccord_codegen.ir.contract import DEFAULT_DETAILS
from toolaccord_codegen.loading.references import as_array, as_object
from toolaccord_codegen.loading.schema_nodes import ContractValue
from toolaccord_codegen.snapshots import Snapshot


def dialect_changes(contract: ContractPair, old: Snapshot, new: Snapshot) -> Iterator[Change]:
    """Yield changes of the envelope: another dialect, or a changed one."""
    yield from contract.value_change("DIALECT_CHANGED", "dialect", noun="the dialect", detail="dialect")
    before, after = contract.values("dialect")
    if before == after and before in old.dialects and after in new.dialects:
        sides = (ContractValue(state.library, *state.dialects[before]) for state in (old, new))
        dialect = contract.pair(next(sides), next(sides), label=f"dialect {before}")
        yield from _envelope_changes(dialect)
        takes_keys = any("idempotency" in as_object(tool) for tool in as_array(contract.new.value.get("tools")))
        if takes_keys and dialect.differs("success") and _marks_replays(dialect):
            yield dialect.change("REPLAYS_MARKED", "answers to repeated calls say so", "success")


def _envelope_changes(dialect: ContractPair) -> Iterator[Change]:
    """Yield changes of a dialect that a contract uses."""
    for key in ("success", "failure", "errors_in_output_schema"):
        if dialect.differs(key) and not (key == "success" and _marks_replays(dialect)):
            yield dialect.change("DIALECT_CHANGED", f"{key} changed", key, detail=key)
    message = "protocol errors no longer have the failure as data"
    if tuple(map(bool, dialect.values("failure_in_protocol_errors"))) == (True, False):
        yield dialect.change("DIALECT_CHANGED", message, "failure_in_protocol_errors", detail="protocol_errors")
    for name in visible_occasions(dialect.around):
        yield from dialect.value_change(
            "DIALECT_CODE_CHANGED", "occasions", name, noun=name, describe=format_optional, detail=f"occasions/{name}"
        )
    for occasion in ("handler", "result"):
        message = f"{occasion} has a code of its own, {{}}"
        yield from dialect.presence_change("DIALECT_CODE_CHANGED", message, "occasions", occasion, is_added=True)
    yield from _code_changes(dialect)
    yield from _detail_changes(dialect)


def _marks_replays(dialect: ContractPair) -> bool:
    """Return True if the new envelope is the old one, but for the mark of replays."""
    before, after = dialect.values("success")
    return bool(before == omit_replayed(after))


def _code_changes(dialect: ContractPair) -> Iterator[Change]:
    """Yield changes of the statuses and numbers of standard codes, and of their retries.

    A dialect that did not say it promised nothing. Tools have changes of the codes that they declare.
    """
    for code in [each for each in visible_codes(dialect.around) if None not in dialect.values("codes", each)]:
        pair = dialect.at("codes", code, label=f"{dialect.label}, {code}")
        yield from status_changes(pair, *pair.values("http"))
        yield from number_changes(pair, *pair.values("jsonrpc"))
        before, after = pair.values("retryable")
        if isinstance(before, bool) and isinstance(after, bool):
            yield from retryable_changes(pair, before, after)


def _detail_changes(dialect: ContractPair) -> Iterator[Change]:
    """Yield changes of the details of errors outside the handlers."""
    for occasion in {**DEFAULT_DETAILS, **dialect.old.items("details"), **dialect.new.items("details")}:
        default = DEFAULT_DETAILS.get(occasion, ())
        old, new = (default if names is None else as_array(names) for names in dialect.values("details", occasion))
        for rule, verb, names in (
            ("ERROR_DETAIL_REMOVED", "no longer", [name for name in old if name not in new]),
            ("ERROR_DETAIL_ADDED", "now", [name for name in new if name not in old]),
        ):
            for name in names:
                message = f'the details on the occasion {occasion} {verb} have "{name}"'
                yield dialect.change(rule, message, "details", occasion, detail=f"details/{occasion}/{name}")
