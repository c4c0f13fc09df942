"""The manifest of a bundle, in version 0.4 of the specification of MCPB."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from toolaccord.contract.settings import Setting
from toolaccord_codegen.ir.contract import Contract
from toolaccord_codegen.ir.prompts import Prompt
from toolaccord_codegen.rules.prompts import PLACEHOLDER

MANIFEST_VERSION = "0.4"
ENTRY_POINT = "server.py"
ICON = "icon.png"
CONFIG_TYPES = {"integer": "number", "number": "number", "boolean": "boolean"}
"""Types of settings in a bundle; any other is a text."""
ACRONYMS = frozenset({"api", "id", "url"})
"""Words that titles of settings write in capitals."""
PLATFORMS = ("darwin", "linux")
"""Systems on which servers run; Windows cannot wait for pipes as their event loops do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Publisher:
    """The project that publishes a bundle, as its pyproject.toml has it."""

    author: str
    license: str | None
    requires_python: str
    has_icon: bool


def build_manifest(contract: Contract, publisher: Publisher) -> dict[str, Any]:
    """Return the manifest of a server over stdio.

    A host asks its user for the settings; secrets are sensitive. `uv` brings Python and the requirements.
    """
    served = contract.on("stdio")
    listed = [_describe_prompt(prompt) for prompt in served.prompts if _is_static(prompt)]
    return {
        "manifest_version": MANIFEST_VERSION,
        "name": contract.name,
        "display_name": contract.title,
        "version": contract.version,
        "description": contract.description,
        "author": {"name": publisher.author},
        **({"icon": ICON} if publisher.has_icon else {}),
        "server": {
            "type": "uv",
            "entry_point": ENTRY_POINT,
            "mcp_config": {
                "command": "uv",
                "args": ["run", "--directory", "${__dirname}", ENTRY_POINT, "--transport", "stdio"],
                "env": {setting.env: f"${{user_config.{setting.name}}}" for setting in served.settings},
            },
        },
        "tools": [{"name": tool.name, "description": tool.description} for tool in served.tools],
        **({"prompts": listed} if listed else {}),
        **({"prompts_generated": True} if len(listed) < len(served.prompts) else {}),
        **({"license": publisher.license} if publisher.license else {}),
        "compatibility": {
            "platforms": list(PLATFORMS),
            "runtimes": {"python": publisher.requires_python},
        },
        "user_config": {setting.name: _describe_setting(setting) for setting in served.settings},
    }


def _is_static(prompt: Prompt) -> bool:
    """Return True for a prompt of texts in the contract; a manifest holds no others."""
    return bool(prompt.messages) and all(message.text is not None for message in prompt.messages)


def _describe_prompt(prompt: Prompt) -> dict[str, Any]:
    """Return a prompt with its text, in which `${arguments.name}` stands for an argument."""
    text = "\n\n".join(message.text or "" for message in prompt.messages)
    names = list(dict.fromkeys(PLACEHOLDER.findall(text)))
    return {
        "name": prompt.name,
        "description": prompt.description,
        **({"arguments": names} if names else {}),
        "text": PLACEHOLDER.sub(lambda found: f"${{arguments.{found[1]}}}", text),
    }


def _describe_setting(setting: Setting) -> dict[str, Any]:
    """Return the question for a setting. A server treats an empty text as its default."""
    kind = CONFIG_TYPES.get(setting.schema.get("type", "string"), "string")
    bounds = {"min": "minimum", "max": "maximum"}
    return {
        "type": kind,
        "title": _format_title(setting.name),
        "description": setting.description,
        "required": setting.required,
        **({"sensitive": True} if setting.secret else {}),
        **({} if setting.required else {"default": "" if setting.secret else setting.default}),
        **{key: setting.schema[word] for key, word in bounds.items() if kind == "number" and word in setting.schema},
    }


def _format_title(name: str) -> str:
    """Return the name of a setting as people write it, e.g. `Database URL`."""
    first, *others = (word.upper() if word in ACRONYMS else word for word in name.split("_"))
    return " ".join([f"{first[:1].upper()}{first[1:]}", *others])


def format_entry_point(contract: Contract, package: str) -> str:
    """Return the program of a bundle."""
    module = f"{package}.{contract.system}.{contract.module}.__main__"
    return f'"""Serve {contract.name}."""\n\nfrom {module} import main\n\nraise SystemExit(main())\n'


def format_pyproject(
    contract: Contract, requires_python: str, requirements: Sequence[str], wheels: Mapping[str, str]
) -> str:
    """Return the pyproject.toml of a bundle; *wheels* are paths of files in it, by project name."""
    listed = "".join(f"    {_quote(requirement)},\n" for requirement in requirements)
    sources = "".join(f"{name} = {{ path = {_quote(path)} }}\n" for name, path in wheels.items())
    return (
        f"[project]\nname = {_quote(contract.name.lower())}\nversion = {_quote(contract.version)}\n"
        f"requires-python = {_quote(requires_python)}\ndependencies = [\n{listed}]\n\n[tool.uv]\npackage = false\n"
        + (f"\n[tool.uv.sources]\n{sources}" if sources else "")
    )


def _quote(text: str) -> str:
    """Return a basic string of TOML."""
    escaped = re.sub(r'["\\]', r"\\\g<0>", text)
    return f'"{escaped}"'
