"""Compare the asks of a server; their forms are inputs, since callers fill them in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from toolaccord.contract.asks import Sampling
from toolaccord.contract.prompts import Prompt
from toolaccord.contract.resources import Resource
from toolaccord.contract.server_contracts import ServerContract
from toolaccord.contract.tools import Tool
from toolaccord_codegen.breaking.changes import Change
from toolaccord_codegen.breaking.compare.contract_pair import ContractPair
from toolaccord_codegen.breaking.compare.fields import field_changes
from toolaccord_codegen.breaking.compare.schemas.comparison import schema_changes
from toolaccord_codegen.breaking.compare.schemas.schema_pair import Topic
from toolaccord_codegen.breaking.rule import Direction


def ask_changes(contract: ContractPair) -> Iterator[Change]:
    """Yield changes of asks that one tool, resource or prompt has in both states."""
    before, after = map(list_operations, contract.around.contracts)
    used = {ask for key, old in before.items() if key in after for ask in {*old.asks} & {*after[key].asks}}
    for name in [each for each in contract.old.items("asks") if each in used]:
        ask = contract.at("asks", name, label=f"ask {name}")
        kinds = ask.values("kind")
        yield from field_changes(ask, Sampling)  # which has every key of the others but the form
        if kinds[0] == kinds[1] == "elicitation":
            topic = Topic(direction=Direction.INPUT, noun=ask.label, whole=ask.label, subject=ask.label)
            yield from schema_changes(topic, ask.old.node("schema"), ask.new.node("schema"))


def list_operations(contract: ServerContract) -> Mapping[tuple[type, str], Tool | Resource | Prompt]:
    """Return what callers ask a server for, by its kind and its name."""
    return {(type(each), each.name): each for each in contract.operations}


def asking_changes(asker: ContractPair, noun: str = "tool") -> Iterator[Change]:
    """Yield what a tool or another *noun* asks its callers now."""
    before, after = (names or [] for names in asker.values("asks"))
    for name in [each for each in after if each not in before]:
        message = f"the {noun} now asks its caller {name}"
        yield asker.change(find_rule_of_added(asker, name), message, "asks", detail=name)


def find_rule_of_added(asker: ContractPair, name: str) -> str:
    """Return the rule for an ask that a caller has to answer now."""
    optional = {ask.name for ask in asker.around.contracts[1].asks if ask.optional}
    return "OPTIONAL_ASK_ADDED" if name in optional else "ASK_ADDED"
