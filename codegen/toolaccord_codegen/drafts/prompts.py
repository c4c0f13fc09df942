"""Drafts of prompts, whose messages a handler writes."""

from __future__ import annotations

import re
from typing import Any

from toolaccord_codegen.drafts.contract import TIMEOUT_MS, as_text
from toolaccord_codegen.drafts.json_values import clean_json
from toolaccord_codegen.drafts.losses import Effect, Losses
from toolaccord_codegen.drafts.names import Names, snake_name
from toolaccord_codegen.loading.references import as_array, as_object

Record = dict[str, Any]
KNOWN_KEYS = frozenset({"name", "title", "description", "arguments"})
ARGUMENT = re.compile(r"[a-z][A-Za-z0-9_]{0,63}")


def draft_prompts(prompts: list[Any], names: Names, losses: Losses) -> list[Record]:
    """Return the prompts; MCP lists no messages, so a handler writes them."""
    drafted: list[Record] = []
    for index, prompt in enumerate(map(as_object, prompts)):
        original = prompt.get("name")
        if not isinstance(original, str) or not original:
            losses.drop(f"/prompts/{index}", "prompt", Effect.NARROWER, "it has no name")
            continue
        with losses.of(f"prompt {original}"):
            drafted.append(_draft_prompt(clean_json(prompt, losses), names, losses))
    return drafted


def _draft_prompt(prompt: Record, names: Names, losses: Losses) -> Record:
    """Return the contract of one prompt."""
    name, title = names.prompt(prompt["name"]), as_text(prompt.get("title"), "")
    arguments = [
        each for each in map(as_object, as_array(prompt.get("arguments"))) if isinstance(each.get("name"), str)
    ]
    parameters = _draft_arguments(arguments, losses)
    for key in prompt.keys() - KNOWN_KEYS:
        losses.drop(f"/{key}", key, Effect.SAME, "the language has no such key of a prompt")
    return {
        "name": name,
        **({"title": title} if title else {}),
        "description": as_text(prompt.get("description"), title or name),
        **({"parameters": parameters} if arguments else {}),
        "effects": {},
        "deadline": {"timeout_ms": TIMEOUT_MS},
    }


def _draft_arguments(arguments: list[Record], losses: Losses) -> Record:
    """Return the schema of a prompt's arguments, which are texts."""
    members: Record = {}
    required: list[str] = []
    for argument in arguments:
        name = argument["name"] if ARGUMENT.fullmatch(argument["name"]) else snake_name(argument["name"], "argument")
        while name in members:
            name = f"{name}_2"[-64:]
        if name != argument["name"]:
            reason = "the language does not admit the name, or has it twice"
            losses.change("/arguments", "name", Effect.NARROWER, reason, name)
        members[name] = {"type": "string", "description": as_text(argument.get("description"), name)}
        required += [name] if argument.get("required") is True else []
    shape: Record = {"type": "object", "properties": members, "additionalProperties": False}
    return shape | ({"required": required} if required else {})
