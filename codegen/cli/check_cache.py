"""What the last run found out, so that what nothing changed need not be made again; only time is lost with it."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path

from codegen.emit.output_tree import digest, held
from codegen.emit.ruff import program
from codegen.ir.layout import Layout
from codegen.loading.documents import OWN_CONTRACTS, list_json_files
from codegen.rules.handlers import handler_module_path

FOLDER = Path(".cache/toolpact")
"""Where it is kept, below the current folder, one file a package."""
COMPILER = Path(__file__).parents[1]
DISTRIBUTIONS = {".dist-info", ".egg-info", ".egg-link", ".pth"}
"""What the names of installed distributions end with, and of files that put others on Python's path."""

Digests = Mapping[str, str | None]
"""Hashes by what they are of; None of a file that cannot be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """A run: what decided about it, and what came of it."""

    compiler: str = ""
    """A digest of the compiler and of all that it runs on."""
    asked: str = ""
    """A digest of whatever else decides: contracts, handlers, options."""
    files: str = ""
    """A digest of the files that the contracts ask for."""
    faults: tuple[str, ...] = ()
    """What is wrong with the handlers."""
    models: Mapping[str, str] = field(default_factory=dict)
    """Digests of the modules of models, with the schemas that each is made of, by path."""
    linted_on: str = ""
    """The day, YYYY-MM-DD, on which lint had nothing to mend; empty where it had, or was not asked."""
    lint: str = ""
    """What it said then."""


def recalled(package: str) -> Memory:
    """What is remembered of a package; nothing where the file is missing, or not as this version writes it."""
    try:
        recorded, _, text = (FOLDER / f"{package}.json").read_text(encoding="utf-8").partition("\n")
    except (OSError, UnicodeDecodeError):
        return Memory()
    if digest(text) != recorded:
        return Memory()
    value = json.loads(text)
    if value.keys() != {each.name for each in fields(Memory)}:  # another version of the compiler wrote it
        return Memory()
    return Memory(**{**value, "faults": tuple(value["faults"])})


def remember(package: str, memory: Memory) -> None:
    """Keep a memory for the next run."""
    text = json.dumps(asdict(memory), indent=1)
    own = FOLDER / f"{package}.{os.getpid()}.new"
    # Where nothing can be written the next run takes as long as this one; that is all.
    with suppress(OSError):
        FOLDER.mkdir(parents=True, exist_ok=True)
        (FOLDER / ".gitignore").write_text("*\n", encoding="utf-8")
        own.write_text(f"{digest(text)}\n{text}", encoding="utf-8", newline="\n")
        own.replace(FOLDER / f"{package}.json")


def compiler_digest() -> str:
    """A digest of the compiler: its source and templates, Python, and every package and program that it may run."""
    formatter = Path(program())
    stat = formatter.stat() if formatter.exists() else None
    runs_on = {
        "python": sys.version,
        "packages": installed(),
        "formatter": [str(formatter), stat.st_size, stat.st_mtime_ns] if stat else [],
    }
    own = {path: content_digest(COMPILER / path) for path in held(COMPILER)}
    language = {path.name: content_digest(path) for path in sorted(OWN_CONTRACTS.glob("*.json"))}
    return digest(json.dumps([runs_on, own, language]))


def installed() -> list[str]:
    """Every distribution on Python's path with its version, as its folder is called: reading metadata takes longer."""
    folders = [folder for folder in map(Path, sys.path) if folder.is_dir()]
    return sorted(str(path) for folder in folders for path in folder.iterdir() if path.suffix in DISTRIBUTIONS)


def asked_digest(contracts: Path, layout: Layout, roots: list[Path]) -> str:
    """A digest of what else decides: where and how the compiler was called, and every file that it reads then."""
    called = [str(Path.cwd()), str(contracts.resolve()), repr(layout)]
    found = sorted({*contracts.rglob("*.json"), *contracts.glob("*/*.proto")})
    read = {path.as_posix(): content_digest(path) for path in found}
    servers = [name.removesuffix(".json").split("/") for name in list_json_files(contracts) if name.count("/") == 1]
    modules = [handler_module_path(system, server, layout.handlers, roots) for system, server in servers]
    handlers = [(str(path), content_digest(path)) if path else None for path in modules]
    return digest(json.dumps([called, read, handlers]))


def files_digest(digests: Digests) -> str:
    """A digest of files by the digests of each."""
    return digest(json.dumps(digests, sort_keys=True))


def folder_digest(folder: Path) -> str:
    """A digest of all files of a folder; byte code does not count."""
    return files_digest({path: content_digest(folder / path) for path in held(folder)})


def content_digest(path: Path) -> str | None:
    """A hash of a file's bytes; None where it cannot be read, which is for the compiler to explain."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return None
