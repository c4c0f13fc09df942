"""Run MCP Inspector, the protocol's own tool for developers, on its command line."""

import asyncio
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PATIENCE_S = 60
"""Seconds after which a run is given up; one takes about one."""


@dataclass(frozen=True, slots=True)
class Inspector:
    """An installed Inspector."""

    packages: Path
    """Its folder `node_modules`."""
    home: Path
    """The folder for its own files."""

    async def inspect(self, method: str, *arguments: str, environment: Mapping[str, str] | None = None) -> Any:
        """Return the report on *method*: the `result`, and `schemaFindings` if there are any.

        *environment* is that of a server that it starts. Raises AssertionError with its output if it fails.
        """
        settings = [part for name, value in (environment or {}).items() for part in ("-e", f"{name}={value}")]
        run = await asyncio.create_subprocess_exec(
            *[str(self.packages / each) for each in ("node/bin/node", ".bin/mcp-inspector")],
            *["--cli", "--format", "json", "--method", method, *settings, *arguments],
            env=os.environ | {"HOME": str(self.home)},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        async with asyncio.timeout(PATIENCE_S):
            report, complaints = await run.communicate()
        assert run.returncode == 0, complaints.decode()
        return json.loads(report)
