"""Recordings of a terminal as SVG: `python -m tests.docs.recordings` writes them."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

from tests.contracts.shipped import copy_contracts

ROOT = Path(__file__).parents[2]
BREAKING = ROOT / "docs" / "breaking.svg"
PLOT = ROOT / "docs" / "plot.svg"
COLUMNS = 100
_FORMAT = """<svg viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg" role="img" aria-label="A terminal">
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, Menlo, Consolas, monospace; font-size: {char_height}px; line-height: {line_height}px }}
.{unique_id}-title {{ font-size: 18px; font-weight: bold; font-family: system-ui, sans-serif }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal"><rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" /></clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""
"""rich's own picture without its font, which a browser would fetch."""


def record_breaking(folder: Path) -> str:
    """Return a recording of `toolaccord breaking` after an edit, made in the empty *folder*."""
    copy_contracts(folder)
    for words in (
        ("init", "--quiet", "--initial-branch=main"),
        ("add", "."),
        ("commit", "--quiet", "--message=Publish"),
    ):
        identity = ("-c", "user.name=author", "-c", "user.email=author@localhost", "-c", "commit.gpgsign=false")
        subprocess.run(["git", *identity, *words], cwd=folder, check=True)
    contract = folder / "contracts/tradestream/strategy.json"
    text = contract.read_text(encoding="utf-8")
    edited = text.replace('"maximum": 100,', '"maximum": 50,')
    assert edited != text
    contract.write_text(edited, encoding="utf-8")
    command = ["toolaccord", "breaking", "--against", "main"]
    output = _run_in_terminal([sys.executable, "-m", "toolaccord_codegen", *command[1:]], folder, status=1)
    return _draw(f"$ {' '.join(command)}", output, "breaking", "contracts")


def record_plot() -> str:
    """Return a recording of `toolaccord call --plot`, whose server gives fixed candles."""
    server = f"{sys.executable} -m tests.docs.sample_market"
    words = ["get_candles", "symbol=BTC/USD", "limit=80", "--plot"]
    command = [sys.executable, "-m", "toolaccord_codegen", "call", "--command", server, *words]
    output = _run_in_terminal(command, ROOT, status=0)
    shown = f"$ toolaccord call --url http://localhost:8000/mcp {' '.join(words)}"
    return _draw(shown, output, "plot", "market-data-mcp")


def _run_in_terminal(command: list[str], folder: Path, *, status: int) -> str:
    """Return the output of a command on a terminal, with its colours; it ends with a *status*."""
    ours, theirs = pty.openpty()
    environ = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    own = {"COLUMNS": str(COLUMNS), "LINES": "30", "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, stdout=theirs, cwd=folder, env=environ | own) as process:
        os.close(theirs)
        parts = []
        while part := _read(ours):
            parts.append(part)
    os.close(ours)
    assert process.returncode == status
    return b"".join(parts).decode().replace("\r\n", "\n")


def _read(descriptor: int) -> bytes:
    """Read some bytes of a terminal; Linux ends it by an error."""
    try:
        return os.read(descriptor, 65536)
    except OSError:
        return b""


def _draw(prompt: str, output: str, name: str, title: str) -> str:
    """Return a picture of a terminal."""
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        console = Console(record=True, width=COLUMNS, file=nowhere, legacy_windows=False)
        console.print(Text(prompt, style="bold"))
        console.print(Text.from_ansi(output.rstrip("\n")))
        return console.export_svg(title=title, theme=MONOKAI, code_format=_FORMAT, unique_id=name)


if __name__ == "__main__":
    with TemporaryDirectory() as scratch:
        BREAKING.write_text(record_breaking(Path(scratch)), encoding="utf-8")
    PLOT.write_text(record_plot(), encoding="utf-8")
