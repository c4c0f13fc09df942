"""Files of migrations: plain SQL, applied in the order of their names."""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources.abc import Traversable

WITHOUT_TRANSACTION = "-- toolaccord: no transaction"
"""First line of a file that PostgreSQL cannot run in a transaction."""
_TEXTS = re.compile(r"--[^\n]*|/\*.*?\*/|\$(\w*)\$.*?\$\1\$|'(?:[^']|'')*'", re.DOTALL)
"""Comments, bodies of functions and strings."""
_TRANSACTION_COMMAND = re.compile(r"(?:\A|;)\s*(BEGIN|START\s+TRANSACTION|COMMIT|ROLLBACK(?!\s+TO))\b", re.IGNORECASE)


class MigrationError(Exception):
    """A migration cannot be applied; the message is for the operator."""


class EditedMigrationError(MigrationError):
    """A file was edited after it had been applied."""


@dataclass(frozen=True, slots=True)
class Migration:
    """One step of a system's tables."""

    system: str
    """The system whose step it is; `@toolaccord` for a step of the library."""
    name: str
    """The file's name; steps are applied in the order of their names."""
    sql: str

    def __str__(self) -> str:
        return f"{self.system}/{self.name}"

    @property
    def checksum(self) -> str:
        """The SHA-256 of the text, without regard to line ends."""
        return sha256("\n".join(self.sql.splitlines()).encode()).hexdigest()

    @property
    def is_transactional(self) -> bool:
        """Return False if the file's first line says that it runs outside a transaction."""
        return self.sql.partition("\n")[0].strip() != WITHOUT_TRANSACTION


def read_folder(system: str, folder: Traversable) -> tuple[Migration, ...]:
    """Return the migrations in *folder*, in order. Raises MigrationError."""
    names = sorted(file.name for file in folder.iterdir() if file.name.endswith(".sql"))
    found = tuple(Migration(system, name, _read(system, folder / name)) for name in names)
    for step in found:
        _check(step)
    return found


def _read(system: str, file: Traversable) -> str:
    """Return the text of *file*, without a byte order mark. Raises MigrationError."""
    if not file.is_file():  # a named pipe would block
        raise MigrationError(f"{system}/{file.name} is no file: remove it, or write the migration there.")
    try:
        return file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise MigrationError(f"{system}/{file.name} is not UTF-8: save it as UTF-8.") from error


def _check(step: Migration) -> None:
    """Raise MigrationError for a text that would be committed half-way, or by a trial."""
    commands = _TEXTS.sub(" ", step.sql).strip().rstrip(";")
    if step.is_transactional:
        if found := _TRANSACTION_COMMAND.search(commands):
            raise MigrationError(f"{step} has the command {found[1].upper()}: each file is one transaction; remove it.")
    elif ";" in commands:
        raise MigrationError(f"{step} has several statements: without a transaction, a file holds one; split it.")
