"""Rules for the prompts of a server."""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolaccord.contract.prompts import Prompt
from toolaccord.contract.server_contracts import ServerContract
from toolaccord_codegen.diagnostics import Problem, suggest
from toolaccord_codegen.loading.documents import Document
from toolaccord_codegen.loading.references import as_array, as_object
from toolaccord_codegen.naming import Identifier
from toolaccord_codegen.rules.completions import check_completions, completed_members
from toolaccord_codegen.rules.stores.rate_limit import check_rate_limit
from toolaccord_codegen.rules.tool import check_deadline, check_errors, check_read_effects
from toolaccord_codegen.rules.tool_view import OwnerView, Viewer, place_items

PLACEHOLDER = re.compile(r"\{([a-z][A-Za-z0-9_]*)\}")
"""An argument in the text of a message."""
HANDLER_KEYS = ("effects", "errors", "rate_limit", "asks")
"""Keys that only a prompt with a handler can have."""


def check_prompts(viewer: Viewer) -> Iterator[Problem]:
    """Yield the problems of a contract's prompts."""
    for view in viewer.view_prompts():
        for check in (_check_keys, _check_messages, check_errors, check_read_effects, check_deadline, check_rate_limit):
            yield from check(view)
    yield from _check_names(viewer.document, viewer.contract)


def _check_keys(view: OwnerView[Prompt]) -> Iterator[Problem]:
    """Yield keys that a prompt with messages excludes, and those that any other needs."""
    written = view.list_written()
    yield from check_completions(view, "PROMPT_KEYS")
    if not view.declared.messages:
        if view.declared.effects is None:
            sentence = 'a handler writes this prompt, which needs "effects"; add it, or the "messages"'
            yield view.problem("", "PROMPT_KEYS", sentence)
        return
    completed = completed_members(view.declared)
    for key in (*HANDLER_KEYS, *(() if completed else ("deadline",))):
        if key in written:
            sentence = f'no handler writes this prompt, so "{key}" has no effect; remove it, or the "messages"'
            yield view.problem(f"/{key}", "PROMPT_KEYS", sentence)


def _check_messages(view: OwnerView[Prompt]) -> Iterator[Problem]:
    """Yield messages with arguments or resources that the contract lacks."""
    resources = {each.name: each for each in view.contract.resources}
    for at, message in place_items("/messages", view.declared.messages):
        if message.text:
            yield from _check_placeholders(view, at, message.text)
        if message.resource is None:
            continue
        if message.resource not in resources:
            sentence = f'"{message.resource}" is not among the resources; {suggest(message.resource, resources)}'
            yield view.problem(f"{at}/resource", "PROMPT_RESOURCE", sentence)
        elif resources[message.resource].static is None:
            sentence = (
                f'a handler reads "{message.resource}"; name a static resource, or let a handler write the prompt'
            )
            yield view.problem(f"{at}/resource", "PROMPT_RESOURCE", sentence)


def _check_placeholders(view: OwnerView[Prompt], at: str, text: str) -> Iterator[Problem]:
    """Yield arguments in a text that the prompt lacks, or that a call may lack."""
    members, required = as_object(view.parameters.get("properties")), as_array(view.parameters.get("required"))
    for name in dict.fromkeys(PLACEHOLDER.findall(text)):
        if name not in members:
            sentence = f"{{{name}}} is not among the parameters; {suggest(name, members)}"
            yield view.problem(f"{at}/text", "PROMPT_ARGUMENT", sentence)
        elif name not in required and "default" not in as_object(members[name]):
            sentence = f'the text needs a "{name}"; add it to "required", or give it a default'
            yield view.problem(f"{at}/text", "PROMPT_ARGUMENT", sentence)


def _check_names(document: Document, contract: ServerContract) -> Iterator[Problem]:
    """Yield prompts whose names or handlers' names are those of others."""
    taken = dict(_list_taken(contract))
    for at, prompt in place_items("/prompts", contract.prompts):
        name, completed = prompt.name, completed_members(prompt)
        for function in (f"prompt_{name}", *(f"complete_{name}_{member}" for member in completed)):
            if (found := Identifier(function)) in taken:
                sentence = f"{taken[found]} has the handler {found} too; rename one"
                yield document.problem(f"{at}/name", "NAME_COLLISION", sentence)
            taken[found] = f'the prompt "{name}"'


def _list_taken(contract: ServerContract) -> Iterator[tuple[str, str]]:
    """Yield the names of the handlers of tools and resources, with their owners."""
    for tool in contract.tools:
        yield Identifier(tool.name), f'the tool "{tool.name}"'
    for resource in contract.resources:
        shown = f'the resource "{resource.name}"'
        yield Identifier(f"read_{resource.name}"), shown
        for each in completed_members(resource):
            yield Identifier(f"complete_{resource.name}_{each}"), shown
