"""The servers of the project whose tests run."""

from __future__ import annotations

import importlib
import pkgutil
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from toolpact.declarations.tool import Server


def load_servers(folder: Path) -> Iterator[Server[Any]]:
    """Yield the servers of the project in *folder*, with their handlers.

    Its package of generated code is that of [tool.toolpact] in pyproject.toml, by default `generated`.
    """
    package = importlib.import_module(read_table(folder).get("package", "generated"))
    for system in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        for server in (
            pkgutil.iter_modules(importlib.import_module(system.name).__path__, f"{system.name}.")
            if system.ispkg
            else ()
        ):
            if server.ispkg and (
                create := getattr(importlib.import_module(f"{server.name}.__main__"), "create_server", None)
            ):
                yield create()


def read_table(folder: Path) -> dict[str, Any]:
    """Return [tool.toolpact] of the nearest pyproject.toml from *folder* upwards that has one."""
    for each in (folder, *folder.parents):
        file = each / "pyproject.toml"
        table = (
            tomllib.loads(file.read_text(encoding="utf-8")).get("tool", {}).get("toolpact") if file.is_file() else None
        )
        if table is not None:
            return dict(table)
    return {}
