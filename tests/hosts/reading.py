"""The generated configurations, read as hosts read them."""

import json
import tomllib
from pathlib import Path
from typing import Any

from tests.contracts.reading import ROOT, load, server_files, shipped_names
from tests.contracts.shipped import GENERATED, generated_paths
from tests.hosts.schemas import HOSTS

FOLDERS = generated_paths("hosts")
FILES = [folder / name for folder in FOLDERS for name in HOSTS]


def shown(path: Path) -> str:
    """Return a path as the id of a test."""
    return path.relative_to(GENERATED).as_posix()


def read(path: Path) -> dict[str, Any]:
    """Return the content of a configuration."""
    text = path.read_text(encoding="utf-8")
    content: dict[str, Any] = tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)
    return content


def entries(content: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the shipped servers of a configuration by name; each host has its own key for them."""
    (found,) = (content[key] for key in ("mcp", "mcpServers", "servers", "mcp_servers") if key in content)
    return {name: entry for name, entry in found.items() if name in shipped_names()}


def contracts(folder: Path) -> list[dict[str, Any]]:
    """Return the contracts of the shipped servers that *folder* configures."""
    place = ROOT / "contracts" / folder.parent.relative_to(GENERATED)
    paths = [path for path in server_files() if place in (path.parent, path.with_suffix(""))]
    return [load(path) for path in paths]
