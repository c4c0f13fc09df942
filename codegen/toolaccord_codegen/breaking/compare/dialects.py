"""Compare the dialect of a server: its envelope and its standard codes."""

from __future__ import annotations

from collections.abc import Iterator

from toolaccord.contract.dialects import Dialect
from toolaccord.semantics.envelope_schemas import omit_replayed
from toolaccord_codegen.breaking.changes import Change
from toolaccord_codegen.breaking.compare.contract_pair import ContractPair
from toolaccord_codegen.breaking.compare.fields import field_changes
from toolaccord_codegen.breaking.compare.schemas.keyword_change import format_optional
from toolaccord_codegen.breaking.compare.tools.errors import (
    number_changes,
    retryable_changes,
    status_changes,
    visible_codes,
    visible_occasions,
)
from toolaccord_codegen.ir.contract import DEFAULT_DETAILS
from toolaccord_codegen.loading.schema_nodes import ContractValue
from toolaccord_codegen.snapshots import Snapshot


def dialect_changes(contract: ContractPair, old: Snapshot, new: Snapshot) -> Iterator[Change]:
    """Yield changes of the envelope of a dialect that both states have."""
    before, after = contract.values("dialect")
    if before == after and before in old.dialects and after in new.dialects:
        sides = (ContractValue(state.library, *state.dialects[before]) for state in (old, new))
        dialect = contract.pair(next(sides), next(sides), label=f"dialect {before}")
        yield from _envelope_changes(dialect)
        yield from _code_changes(dialect)
        yield from _detail_changes(dialect)


def _envelope_changes(dialect: ContractPair) -> Iterator[Change]:
    """Yield changes of a dialect that a contract uses."""
    yield from field_changes(dialect, Dialect)
    old, new = dialect.values("success")
    if dialect.differs("success") and old != omit_replayed(new):
        yield dialect.change("DIALECT_CHANGED", "success changed", "success", detail="success")
    elif dialect.differs("success") and any(tool.idempotency for tool in dialect.around.contracts[1].tools):
        yield dialect.change("REPLAYS_MARKED", "answers to repeated calls say so", "success")
    for name in visible_occasions(dialect.around):
        yield from dialect.value_change(
            "DIALECT_CODE_CHANGED", "occasions", name, noun=name, describe=format_optional, detail=f"occasions/{name}"
        )
    for occasion in ("handler", "result"):
        before, after = dialect.values("occasions", occasion)
        if before is None and after is not None:
            text = f"{occasion} has a code of its own, {after}"
            yield dialect.change("DIALECT_CODE_CHANGED", text, "occasions", occasion)


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
    before, after = ({**DEFAULT_DETAILS, **side.details} for side in dialect.records(Dialect))
    for occasion in {**before, **after}:
        old, new = (side.get(occasion, ()) for side in (before, after))
        for rule, verb, names in (
            ("ERROR_DETAIL_REMOVED", "no longer", [name for name in old if name not in new]),
            ("ERROR_DETAIL_ADDED", "now", [name for name in new if name not in old]),
        ):
            for name in names:
                message = f'the details on the occasion {occasion} {verb} have "{name}"'
                yield dialect.change(rule, message, "details", occasion, detail=f"details/{occasion}/{name}")
