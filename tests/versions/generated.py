"""A server with three versions of a tool, generated for these tests: the example of the platform's specification."""

from __future__ import annotations

import importlib
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from codegen.__main__ import main
from toolpact.declarations.tool import AnyTool, Server

RISK = Path(__file__).parent / "risk"
PACKAGE = "side_by_side"
HANDLERS = f"{PACKAGE}_handlers"


@dataclass(frozen=True, slots=True)
class Generated:
    """The server, generated."""

    folder: Path
    """What has to be on the path of a process that runs `python -m side_by_side.platform.risk`."""
    server: Server[Any]
    """The server, bound to its handlers."""

    def tool(self, name: str) -> AnyTool:
        """One of its tools."""
        return next(each for each in self.server.tools if each.name == name)


@contextmanager
def generated(folder: Path) -> Iterator[Generated]:
    """The server of `risk/`, generated into a folder; it can be imported until the end."""
    room = folder / HANDLERS / "platform" / "risk.py"
    room.parent.mkdir(parents=True)
    shutil.copy(RISK / "handlers.py.txt", room)
    out = ["--out", str(folder / PACKAGE), "--package", PACKAGE, "--handlers", HANDLERS]
    assert main(["generate", "--contracts", str(RISK / "contracts"), *out]) == 0
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        declared = importlib.import_module(f"{PACKAGE}.platform.risk.server")
        yield Generated(folder, declared.server(importlib.import_module(f"{HANDLERS}.platform.risk")))
