"""Formatting of generated Python by ruff."""

from __future__ import annotations

import json
import subprocess
import sys
import sysconfig
from collections.abc import Mapping, Sequence
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory

from toolaccord_codegen.diagnostics import missing_package

SORT_IMPORTS = ("check", "--select", "I001", "--fix")
FIX_LAYOUT = ("check", "--select", "F401,I001,D212,PYI030", "--per-file-ignores", "*_pb2*:F401", "--fix-only")
"""Command that mends imports, the first lines of docstrings, and unions of literals.

Templates import all that a module may need. The model generator starts long docstrings on the second line, and writes a
literal for each branch of a `oneOf`. Imports of protoc's modules register messages.
"""


def format_files(files: Mapping[str, str], first_party: list[str]) -> dict[str, str]:
    """Remove unused imports, sort the others, and format lines of at most 120 characters.

    Raises RuntimeError with ruff's message for text that is not Python: a fault of a template.
    """
    with TemporaryDirectory(prefix="toolaccord-") as folder:
        root = Path(folder)
        for name, text in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
        own = f"known-first-party = {json.dumps(first_party)}, split-on-trailing-comma = false"
        _run_ruff(*FIX_LAYOUT, "--config", f"lint.isort = {{ {own} }}", folder)
        _run_ruff("format", "--line-length", "120", folder)
        return {name: (root / name).read_text(encoding="utf-8") for name in files}


def sort_imports(text: str, path: Path, first_party: Sequence[str] = ()) -> str:
    """Sort a module's imports as configured at *path*; return it unchanged if ruff fails.

    Ruff takes packages that are not there yet for another project's, unless they are *first_party*.
    """
    own = ["--config", f"lint.isort.known-first-party = {json.dumps(first_party)}"] if first_party else []
    return _filter_text(text, path, *SORT_IMPORTS, *own)


def format_snippet(text: str, path: Path) -> str:
    """Format a part of a module as configured at *path*; return it unchanged if ruff fails."""
    leading = len(text) - len(text.lstrip("\n"))
    return text[:leading] + _filter_text(text[leading:], path, "format")


def _filter_text(text: str, path: Path, *arguments: str) -> str:
    """Pass text through a ruff command; return the text unchanged if ruff fails."""
    command = [find_ruff(), *arguments, "--no-cache", "--quiet", "--stdin-filename", str(path.absolute()), "-"]
    try:
        done = subprocess.run(command, input=text.encode(), capture_output=True, check=False)  # noqa: S603 - our own arguments
    except OSError:
        return text
    return done.stdout.decode() if done.returncode == 0 else text


def _run_ruff(*arguments: str) -> None:
    """Run ruff with its own defaults, ignoring configuration files.

    Raises CommandError without ruff.
    """
    command = [find_ruff(), *arguments, "--isolated", "--no-cache", "--quiet", "--target-version", "py311"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)  # noqa: S603 - our own arguments
    except FileNotFoundError:
        raise missing_package("ruff") from None
    if done.returncode:
        raise RuntimeError(f"the generated Python cannot be formatted: {done.stdout}{done.stderr}")


def find_ruff() -> str:
    """Find the ruff program: beside this Python, else on PATH."""
    beside = Path(sysconfig.get_path("scripts")) / "ruff"
    return str(beside) if beside.exists() else which("ruff") or f"{sys.prefix}/bin/ruff"
