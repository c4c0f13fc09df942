"""Rules for the prompts of a server."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from toolaccord_codegen.diagnostics import Problem, suggest
from toolaccord_codegen.loading.documents import Document
from toolaccord_codegen.loading.references import SchemaLibrary, as_array, as_object, list_items
from toolaccord_codegen.naming import ClassName, Identifier
from toolaccord_codegen.rules.completions import check_completions, completed_members
from toolaccord_codegen.rules.stores.rate_limit import check_rate_limit
from toolaccord_codegen.rules.tool import check_deadline, check_effects, check_errors
from toolaccord_codegen.rules.tool_view import ToolView, view_tools

PLACEHOLDER = re.compile(r"\{([a-z][A-Za-z0-9_]*)\}")
"""An argument in the text of a message."""
CONTENTS = ("text", "image", "resource")
"""Keys of which each message has one."""
HANDLER_KEYS = ("effects", "errors", "rate_limit", "asks")
"""Keys that only a prompt with a handler can have."""


def check_prompts(library: SchemaLibrary, document: Document, dialects: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield the problems of a contract's prompts."""
    for view in view_tools(library, document, dialects, "prompts"):
        for check in (_check_keys, _check_messages, check_errors, check_effects, check_deadline, check_rate_limit):
            yield from check(view)
    yield from _check_names(document)


def _check_keys(view: ToolView) -> Iterator[Problem]:
    """Yield keys that a prompt with messages excludes, and those that any other needs."""
    prompt = view.tool
    yield from check_completions(view, "PROMPT_KEYS")
    if "messages" not in prompt:
        if "effects" not in prompt:
            yield view.problem(
                "", "PROMPT_KEYS", 'a handler writes this prompt, which needs "effects"; add it, or the "messages"'
            )
        return
    completed = completed_members(view.tool)
    for key in (*HANDLER_KEYS, *(() if completed else ("deadline",))):
        if key in prompt:
            sentence = f'no handler writes this prompt, so "{key}" has no effect; remove it, or the "messages"'
            yield view.problem(f"/{key}", "PROMPT_KEYS", sentence)


def _check_messages(view: ToolView) -> Iterator[Problem]:
    """Yield messages with arguments or resources that the contract lacks."""
    resources = {each.get("name"): each for _, each in list_items(view.contract, "resources")}
    for at, message in list_items(view.tool, "messages"):
        text, name = message.get("text"), message.get("resource")
        if isinstance(text, str):
            yield from _check_placeholders(view, at, text)
        if not any(key in message for key in CONTENTS):
            yield view.problem(at, "PROMPT_KEYS", 'a message has a "text", an "image" or a "resource"; add one')
        if isinstance(name, str) and name not in resources:
            sentence = f'"{name}" is not among the resources; {suggest(name, [str(each) for each in resources])}'
            yield view.problem(f"{at}/resource", "PROMPT_RESOURCE", sentence)
        elif isinstance(name, str) and "static" not in resources[name]:
            sentence = f'a handler reads "{name}"; name a static resource, or let a handler write the prompt'
            yield view.problem(f"{at}/resource", "PROMPT_RESOURCE", sentence)


def _check_placeholders(view: ToolView, at: str, text: str) -> Iterator[Problem]:
    """Yield arguments in a text that the prompt lacks, or that a call may lack."""
    members, required = as_object(view.parameters.get("properties")), as_array(view.parameters.get("required"))
    for name in dict.fromkeys(PLACEHOLDER.findall(text)):
        if name not in members:
            sentence = f"{{{name}}} is not among the parameters; {suggest(name, members)}"
            yield view.problem(f"{at}/text", "PROMPT_ARGUMENT", sentence)
        elif name not in required and "default" not in as_object(members[name]):
            sentence = f'the text needs a "{name}"; add it to "required", or give it a default'
            yield view.problem(f"{at}/text", "PROMPT_ARGUMENT", sentence)


def _check_names(document: Document) -> Iterator[Problem]:
    """Yield prompts whose names or handlers' names are those of others."""
    taken = dict(_list_taken(document))
    for at, prompt in list_items(document.value, "prompts"):
        name = prompt.get("name")
        if not isinstance(name, str):
            continue
        completed = completed_members(prompt)
        for function in (f"prompt_{name}", *(f"complete_{name}_{member}" for member in completed)):
            if (found := Identifier(function)) in taken:
                sentence = f"{taken[found]} has the handler {found} too; rename one"
                yield document.problem(f"{at}/name", "NAME_COLLISION", sentence)
            taken[found] = f'the prompt "{name}"'


def _list_taken(document: Document) -> Iterator[tuple[str, str]]:
    """Yield the names of the handlers of tools and resources, with their owners."""
    for key, noun in (("tools", "tool"), ("resources", "resource")):
        for _, owner in list_items(document.value, key):
            if isinstance(name := owner.get("name"), str):
                shown = f'the {noun} "{name}"'
                yield Identifier(name if key == "tools" else f"read_{name}"), shown
                if key == "resources":
                    yield from ((Identifier(f"complete_{name}_{each}"), shown) for each in completed_members(owner))


def list_prompt_models(document: Document) -> dict[str, str]:
    """Return the names of the models of prompts, with their owners."""
    names = [each["name"] for _, each in list_items(document.value, "prompts") if isinstance(each.get("name"), str)]
    return {f"{ClassName(f'prompt_{name}')}Request": f"the prompt {name}" for name in names}
