"""Compare the systems behind a server."""

from __future__ import annotations

from collections.abc import Iterator

from toolaccord_codegen.breaking.changes import Change
from toolaccord_codegen.breaking.compare.contract_pair import ContractPair
from toolaccord_codegen.breaking.compare.schemas.keyword_change import format_optional
from toolaccord_codegen.breaking.compare.settings import is_reference


def source_changes(contract: ContractPair) -> Iterator[Change]:
    """Yield changes of the systems behind the server."""
    before, after = contract.old.items("sources"), contract.new.items("sources")
    for name in {**before, **after}:
        source = contract.at("sources", name, label=f"source {name}")
        was, now = source.values("kind")
        if name not in after:
            yield source.change("SOURCE_REMOVED", "the source was removed")
        elif name not in before:
            yield source.change("SOURCE_ADDED", "the source was added")
        elif was != now:
            yield from source.value_change("SOURCE_KIND_CHANGED", "kind", noun="the kind")
        else:
            for key in {**source.old.value, **source.new.value}:
                if all(map(is_reference, source.values(key))):
                    continue  # _variable_changes compares what they refer to
                yield from source.value_change("SOURCE_LIMIT_CHANGED", key, describe=format_optional, detail=key)
