"""Find what belongs to the shipped servers and agents, and leave out what belongs to others."""

import shutil
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.contracts.reading import CONTRACTS, ROOT, all_names, contract_files
from toolaccord_codegen.cli.rules import ACCEPTABLE_RULES
from toolaccord_codegen.compiler import Contracts, compile_folder

GENERATED = ROOT / "generated"


def belongs_to_others(path: Path) -> bool:
    """Return True for the files of others in generated/, handlers/ and tests/."""
    folder, *parts = path.relative_to(ROOT).parts
    system, *names = parts[1:] if (folder, parts[:1]) == ("tests", ["handlers"]) else parts
    if folder not in {"generated", "handlers", "tests"} or not names:
        return False
    others = {(file.parent.name, file.stem) for file in _other_files()}
    systems = {system for system, _ in others} - {file.parent.name for file in contract_files()}
    return system in systems or (system, names[0].partition(".")[0].removeprefix("test_")) in others


def generated_paths(pattern: str) -> list[Path]:
    """Return the paths in generated/ that match *pattern*, without those of others."""
    return sorted(path for path in GENERATED.rglob(pattern) if not belongs_to_others(path))


def copy_contracts(folder: Path) -> Path:
    """Copy contracts/ into *folder* without the files of others, and return the copy."""
    others = {(str(file.parent), file.stem) for file in _other_files()}

    def list_others(parent: str, names: list[str]) -> list[str]:
        return [name for name in names if (parent, name.partition(".")[0]) in others]

    return Path(shutil.copytree(CONTRACTS, folder / "contracts", ignore=list_others))


@cache
def compiled_contracts() -> Contracts:
    """Return the contracts of the shipped servers and agents as the compiler reads them."""
    with TemporaryDirectory() as folder:
        return compile_folder(copy_contracts(Path(folder)), acceptable=ACCEPTABLE_RULES)


def _other_files() -> list[Path]:
    """Return the contract files of servers and agents that tests do not judge."""
    return [file for file in all_names() if file not in contract_files()]
