"""Compare the prompts of a server, whose arguments are inputs."""

from __future__ import annotations

from collections.abc import Iterator

from toolaccord.contract.prompts import Prompt
from toolaccord_codegen.breaking.changes import Change
from toolaccord_codegen.breaking.compare.asks import asking_changes
from toolaccord_codegen.breaking.compare.contract_pair import ContractPair
from toolaccord_codegen.breaking.compare.fields import field_changes
from toolaccord_codegen.breaking.compare.rate_limits import rate_limit_changes
from toolaccord_codegen.breaking.compare.resources import completion_changes
from toolaccord_codegen.breaking.compare.schemas.schema_pair import Topic
from toolaccord_codegen.breaking.compare.schemas.texts import text_schema_changes
from toolaccord_codegen.breaking.compare.tools.errors import error_changes
from toolaccord_codegen.breaking.rule import Direction


def prompt_changes(contract: ContractPair) -> Iterator[Change]:
    """Yield changes of the prompts of a server."""
    before, after = (side.listed_by("prompts", "name") for side in (contract.old, contract.new))
    for name, value in before.items():
        if name in after:
            yield from _one_prompt_changes(contract.pair(value, after[name], label=f"prompt {name}"))
            continue
        message = f"the prompt {name} was removed"
        yield contract.change("PROMPT_REMOVED", message, "prompts", old=value.place.at("name"), subject=name)
    for name, value in after.items():
        if name not in before:
            message = f"the prompt {name} is new"
            yield contract.change("PROMPT_ADDED", message, "prompts", new=value.place.at("name"), subject=name)


def _one_prompt_changes(prompt: ContractPair) -> Iterator[Change]:
    """Yield the changes of one prompt."""
    yield from field_changes(prompt, Prompt)
    whole = f"{prompt.label}, argument"
    topic = Topic(direction=Direction.INPUT, noun=whole, whole=whole, subject=whole)
    yield from text_schema_changes(topic, prompt.old.node("parameters"), prompt.new.node("parameters"))
    yield from completion_changes(prompt)
    yield from error_changes(prompt)
    yield from rate_limit_changes(prompt)
    yield from asking_changes(prompt, "prompt")
