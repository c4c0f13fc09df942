"""Generated Python in the form that the formatter gives to all other code."""

from __future__ import annotations

import json
import subprocess
import sys
import sysconfig
from collections.abc import Mapping
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory

SORT_IMPORTS = ("check", "--select", "I001", "--fix")


def formatted(files: Mapping[str, str], first_party: list[str]) -> dict[str, str]:
    """The same files with imports sorted and lines broken at 120 characters, by ruff.

    Raises RuntimeError, with ruff's own words, for text that is not Python: a fault of a template.
    """
    with TemporaryDirectory(prefix="toolpact-") as folder:
        root = Path(folder)
        for name, text in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
        ruff(*SORT_IMPORTS, "--config", f"lint.isort.known-first-party = {json.dumps(first_party)}", folder)
        ruff("format", "--line-length", "120", folder)
        return {name: (root / name).read_text(encoding="utf-8") for name in files}


def in_order(text: str, path: Path) -> str:
    """A module's text with its imports sorted as ruff is configured where the module lies; as it is if that fails."""
    return judged(text, path, *SORT_IMPORTS)


def in_style(text: str, path: Path) -> str:
    """A piece of a module as the formatter, configured where the module lies, writes it; as it is if that fails."""
    leading = len(text) - len(text.lstrip("\n"))
    return text[:leading] + judged(text[leading:], path, "format")


def judged(text: str, path: Path, *command: str) -> str:
    """What a command of ruff makes of a text, or the text."""
    told = [program(), *command, "--no-cache", "--quiet", "--stdin-filename", str(path.absolute()), "-"]
    try:
        done = subprocess.run(told, input=text.encode(), capture_output=True, check=False)  # noqa: S603 - our own arguments
    except OSError:
        return text
    return done.stdout.decode() if done.returncode == 0 else text


def ruff(*arguments: str) -> None:
    """Run ruff with its own defaults, whatever configuration lies around."""
    command = [program(), *arguments, "--isolated", "--no-cache", "--quiet", "--target-version", "py311"]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)  # noqa: S603 - our own arguments
    if done.returncode:
        raise RuntimeError(f"the generated Python cannot be formatted: {done.stdout}{done.stderr}")


def program() -> str:
    """Where ruff is: beside this Python, else on the path."""
    beside = Path(sysconfig.get_path("scripts")) / "ruff"
    return str(beside) if beside.exists() else which("ruff") or f"{sys.prefix}/bin/ruff"
