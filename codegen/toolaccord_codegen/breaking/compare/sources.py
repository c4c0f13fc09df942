"""Compare the systems behind a server."""

from __future__ import annotations

from collections.abc import Iterator

from toolaccord_codegen.breaking.changes import Change
from toolaccord_codegen.breaking.compare.contract_pair import ContractPair
from toolaccord_codegen.breaking.compare.fields import split_members
from toolaccord_codegen.breaking.compare.renames import Renames
from toolaccord_codegen.breaking.compare.schemas.keyword_change import format_optional
from toolaccord_codegen.breaking.compare.settings import is_reference
from toolaccord_codegen.loading.schema_nodes import ContractValue, Place


def source_changes(contract: ContractPair) -> Iterator[Change]:
    """Yield changes of the systems behind the server."""
    changes, kept = split_members(contract, "sources", "source", added="SOURCE_ADDED", removed="SOURCE_REMOVED")
    yield from changes
    for source in kept:
        if source.differs("kind"):
            yield from source.value_change("SOURCE_KIND_CHANGED", "kind", noun="the kind")
            continue
        for key in {**source.old.value, **source.new.value}:
            if not all(map(is_reference, source.values(key))):  # _variable_changes compares what they refer to
                yield from source.value_change("SOURCE_LIMIT_CHANGED", key, describe=format_optional, detail=key)


def renamed_source_changes(contract: ContractPair, renames: Renames) -> Iterator[Change]:
    """Yield sources with another name, which nobody sees but operators."""
    for before, after in renames.names.get("sources", {}).items():
        message = f"source {before}: it is called {after} now, and so are the variables of its limits"
        place = contract.old.place.at("sources", before)
        yield contract.change("SOURCE_REMOVED", message, "sources", after, detail=f"source {before}", old=place)


def privilege_changes(contract: ContractPair) -> Iterator[Change]:
    """Yield privileges that the server's role needs now, or no longer."""
    before, after = (dict(_list_privileges(side)) for side in (contract.old, contract.new))
    for facts, place in after.items():
        if facts not in before:
            message = f"the server needs {facts[2]} on {facts[1]} of {facts[0]}"
            yield contract.change("PRIVILEGE_ADDED", message, detail=".".join(facts), new=place, old=None)
    for facts, place in before.items():
        if facts not in after:
            message = f"the server no longer needs {facts[2]} on {facts[1]} of {facts[0]}"
            yield contract.change("PRIVILEGE_REMOVED", message, detail=".".join(facts), old=place, new=None)


def _list_privileges(contract: ContractValue) -> Iterator[tuple[tuple[str, str, str], Place]]:
    """Yield the source, the table, the privilege and the place of every privilege."""
    for part in (*contract.listed("resources"), *contract.listed("tools")):
        effects = part.at("effects", "privileges")
        for source, tables in (effects.value or {}).items():
            for table, names in tables.items():
                for name in names:
                    yield (source, table, name), effects.place.at(source, table)
