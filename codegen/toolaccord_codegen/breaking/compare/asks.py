"""Compare the asks of a server; their forms are inputs, since callers fill them in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolaccord_codegen.breaking.changes import Change
from toolaccord_codegen.breaking.compare.contract_pair import ContractPair
from toolaccord_codegen.breaking.compare.schemas.comparison import schema_changes
from toolaccord_codegen.breaking.compare.schemas.keyword_change import format_optional
from toolaccord_codegen.breaking.compare.schemas.schema_pair import Topic
from toolaccord_codegen.breaking.rule import Direction
from toolaccord_codegen.loading.references import as_array, as_object

WORDING = ("message", "parameters", "system_prompt", "max_tokens")
"""Keys that change what a caller reads, and not what it sends."""


def ask_changes(contract: ContractPair) -> Iterator[Change]:
    """Yield changes of asks that one tool, resource or prompt has in both states."""
    before, after = (dict(_list_asking(side)) for side in contract.around.contracts)
    used = {ask for asker, asks in before.items() for ask in asks if ask in after.get(asker, ())}
    for name in [each for each in contract.old.items("asks") if each in used]:
        ask = contract.at("asks", name, label=f"ask {name}")
        kinds = ask.values("kind")
        yield from ask.value_change("ASK_KIND_CHANGED", "kind")
        for key in WORDING:
            yield from ask.value_change("ASK_WORDING_CHANGED", key, describe=format_optional, detail=key)
        yield from ask.text_change("DESCRIPTION_CHANGED", "description")
        yield from _optional_change(ask)
        if kinds[0] == kinds[1] == "elicitation":
            topic = Topic(direction=Direction.INPUT, noun=ask.label, whole=ask.label, subject=ask.label)
            yield from schema_changes(topic, ask.old.node("schema"), ask.new.node("schema"))


def _list_asking(contract: Mapping[str, Any]) -> Iterator[tuple[tuple[str, str], list[Any]]]:
    """Yield the tools, resources and prompts of a contract with the names of their asks."""
    for kind in ("tools", "resources", "prompts"):
        for each in map(as_object, as_array(contract.get(kind))):
            yield (kind, str(each.get("name"))), as_array(each.get("asks"))


def asking_changes(asker: ContractPair, noun: str = "tool") -> Iterator[Change]:
    """Yield changes of what a tool or another *noun* asks its callers."""
    before, after = (as_array(names) for names in asker.values("asks"))
    for name in [each for each in after if each not in before]:
        yield asker.change(
            find_rule_of_added(asker, name), f"the {noun} now asks its caller {name}", "asks", detail=str(name)
        )
    for name in [each for each in before if each not in after]:
        yield asker.change("ASK_REMOVED", f"the {noun} no longer asks its caller {name}", "asks", detail=str(name))


def find_rule_of_added(asker: ContractPair, name: Any) -> str:
    """Return the rule for an ask that a caller has to answer now."""
    declared = as_object(asker.around.contracts[1].get("asks"))
    return "OPTIONAL_ASK_ADDED" if as_object(declared.get(name)).get("optional") else "ASK_ADDED"


def _optional_change(ask: ContractPair) -> Iterator[Change]:
    """Yield the change of what happens to callers that cannot be asked."""
    before, after = (bool(value) for value in ask.values("optional"))
    if before and not after:
        yield ask.change("ASK_REQUIRED", "callers that cannot be asked now get an error", "optional")
    elif after and not before:
        yield ask.change("ASK_OPTIONAL", "callers that cannot be asked now count as having declined", "optional")
