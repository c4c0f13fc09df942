"""Rules for the completions of prompts' arguments and of resources' variables."""

from __future__ import annotations

from collections.abc import Iterator

from toolaccord.contract.prompts import Prompt
from toolaccord.contract.resources import Resource
from toolaccord_codegen.diagnostics import Problem
from toolaccord_codegen.loading.references import as_object
from toolaccord_codegen.rules.tool_view import OwnerView


def completed_members(owner: Resource | Prompt) -> list[str]:
    """Return the values of a prompt or a resource that clients can complete."""
    members = owner.parameters["properties"] if owner.parameters else {}
    return [name for name, schema in members.items() if "complete" in schema]


def check_completions(view: OwnerView[Resource] | OwnerView[Prompt], rule: str) -> Iterator[Problem]:
    """Yield values that the contract and a handler list, as problems of *rule*."""
    members = as_object(view.parameters.get("properties"))
    for name in completed_members(view.declared):
        member = as_object(members.get(name))
        if "enum" in member and isinstance(member["complete"], dict):
            sentence = 'the enum lists the values, and no handler does; write "complete": true'
            yield view.problem(f"/parameters/properties/{name}/complete", rule, sentence)
