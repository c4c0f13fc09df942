"""Types of command-line values: names, days, seconds and paths of servers."""

from __future__ import annotations

import argparse
import keyword
import re
from datetime import date
from pathlib import Path

from toolaccord_codegen.naming import describe_reserved

_HIGHEST_PORT = 65535
_SHORTEST_INTERVAL_S, _LONGEST_INTERVAL_S = 0.1, 86400


def parse_folder(text: str) -> Path:
    """Return the path of a folder; generated files name it, so it must be printable."""
    if not text.isprintable():
        raise argparse.ArgumentTypeError(f"{text!r} has characters that generated files cannot name")
    return Path(text)


def parse_import_name(text: str) -> str:
    """Return the import name of a package."""
    for part in text.split("."):
        if keyword.iskeyword(part):
            raise argparse.ArgumentTypeError(f"{describe_reserved(part)}; choose another name")
        if not part.isidentifier():
            raise argparse.ArgumentTypeError(f'"{text}" is no name that Python can import')
    return text


def parse_reverse_dns_name(text: str) -> str:
    """Return a reverse-DNS name."""
    if not re.fullmatch(r"[a-zA-Z0-9-]+(\.[a-zA-Z0-9-]+)+", text):
        raise argparse.ArgumentTypeError(f'"{text}" is no reverse-DNS name, e.g. io.github.acme')
    return text


def parse_day(text: str) -> date:
    """Return a date given as YYYY-MM-DD."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f'"{text}" is no day, e.g. 2027-01-31') from None


def parse_port(text: str) -> int:
    """Return the number of a port; 0 stands for any free one."""
    if not (text.isascii() and text.isdigit() and int(text) <= _HIGHEST_PORT):
        raise argparse.ArgumentTypeError(f'"{text}" is no port; a port is a number from 0 to {_HIGHEST_PORT}')
    return int(text)


def parse_server_path(text: str) -> tuple[str, str]:
    """Return the system and the name of a server given as SYSTEM/NAME."""
    system, slash, name = text.partition("/")
    if not (system and slash and name) or "/" in name:
        raise argparse.ArgumentTypeError(f'"{text}" is not SYSTEM/NAME, e.g. acme/books')
    return system, name


def parse_system_or_server(text: str) -> tuple[str, str | None]:
    """Return the system, and the name of a server if it is given as SYSTEM/NAME."""
    return parse_server_path(text) if "/" in text else (text, None)


def parse_interval(text: str) -> float:
    """Return the seconds of an interval."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not _SHORTEST_INTERVAL_S <= seconds <= _LONGEST_INTERVAL_S:
        bounds = f"{_SHORTEST_INTERVAL_S} to {_LONGEST_INTERVAL_S}"
        raise argparse.ArgumentTypeError(f'"{text}" is no number of seconds from {bounds}')
    return seconds
