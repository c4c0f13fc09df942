"""Generate the server of the platform specification, with three versions of a tool."""

from __future__ import annotations

import importlib
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from toolaccord.declarations.tool import AnyTool, Server
from toolaccord_codegen.__main__ import main

RISK = Path(__file__).parent / "risk"
PACKAGE = "side_by_side"
HANDLERS = f"{PACKAGE}_handlers"


@dataclass(frozen=True, slots=True)
class GeneratedServer:
    """The generated server and its folder."""

    folder: Path
    """The folder that PYTHONPATH needs to run `python -m side_by_side.platform.risk`."""
    server: Server[Any]
    """The server, bound to its handlers."""

    def tool(self, name: str) -> AnyTool:
        """Return one of its tools by name."""
        return next(each for each in self.server.tools if each.name == name)


@contextmanager
def generate_server(folder: Path) -> Iterator[GeneratedServer]:
    """Generate the server of `risk/` into a folder and keep it importable inside the context."""
    target = folder / HANDLERS / "platform" / "risk.py"
    target.parent.mkdir(parents=True)
    shutil.copy(RISK / "handlers.py.txt", target)
    shutil.copytree(RISK / "contracts", folder / "contracts")  # `generate` writes the schema beside them
    out = ["--out", str(folder / PACKAGE), "--package", PACKAGE, "--handlers", HANDLERS]
    assert main(["generate", "--contracts", str(folder / "contracts"), *out]) == 0
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        declared = importlib.import_module(f"{PACKAGE}.platform.risk.server")
        yield GeneratedServer(folder, declared.server(importlib.import_module(f"{HANDLERS}.platform.risk")))
