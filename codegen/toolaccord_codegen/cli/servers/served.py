"""Servers that `dev` serves on this machine, which other commands find by their files."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path

from toolaccord_codegen.cli.check_cache import FOLDER


def note_served(project: Path, server: str, url: str) -> Path:
    """Note that this process serves SYSTEM/NAME at a URL; return the file to remove at its end."""
    path = _locate(project, server)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"url": url, "pid": os.getpid()}), encoding="utf-8")
    return path


def find_served(project: Path, server: str) -> str | None:
    """Return the URL at which a living process serves SYSTEM/NAME; None without one."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        noted = json.loads(_locate(project, server).read_text(encoding="utf-8"))
        os.kill(int(noted["pid"]), 0)
        return str(noted["url"])
    return None


def _locate(project: Path, server: str) -> Path:
    return project / FOLDER / "dev" / f"{server.replace('/', '.')}.json"
