"""Reading of regular files; whatever else lies at a path is rejected without waiting for it."""

from __future__ import annotations

import ast
import errno
import os
import stat
from pathlib import Path

from toolaccord_codegen.diagnostics import CommandError
from toolaccord_codegen.loading.documents import display_path

KINDS = {
    stat.S_IFBLK: "a device",
    stat.S_IFCHR: "a device",
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFLNK: "a symbolic link",
    stat.S_IFSOCK: "a socket",
}


class IrregularFileError(OSError):
    """Something else than a regular file; `kind` names it."""

    def __init__(self, kind: str, path: str | Path) -> None:
        super().__init__(errno.EINVAL, f"it is {kind}, not a file", str(path))
        self.kind = kind


def read_regular_file(
    path: str | Path, *, folder: int | None = None, follow_links: bool = True, most: int = -1
) -> bytes:
    """Read a regular file's bytes, at most *most* of them.

    *folder* is the descriptor of the folder that the path begins in. Raises OSError, and IrregularFileError for a
    named pipe, which would block, a device, a socket, a folder, or a symbolic link that is not followed.
    """
    # Opening a device can already have an effect, so its kind is asked before.
    _require_regular(os.stat(path, dir_fd=folder, follow_symlinks=follow_links), path)
    flags = os.O_RDONLY | os.O_NONBLOCK | (0 if follow_links else os.O_NOFOLLOW)
    with os.fdopen(os.open(path, flags, dir_fd=folder), "rb") as file:
        _require_regular(os.fstat(file.fileno()), path)  # it may have been replaced meanwhile
        return file.read(most)


def _require_regular(found: os.stat_result, path: str | Path) -> None:
    """Raise IrregularFileError unless a file is regular."""
    if not stat.S_ISREG(found.st_mode):
        raise IrregularFileError(KINDS[stat.S_IFMT(found.st_mode)], path)


def read_utf8(path: Path) -> str:
    """Read a file as UTF-8, with its ends of lines.

    Raises CommandError for another encoding, and OSError.
    """
    try:
        return read_regular_file(path).decode()
    except UnicodeDecodeError as error:
        raise CommandError(f"{display_path(path)} is not UTF-8; save it as UTF-8") from error


def parse_python(source: str | bytes, path: Path) -> ast.Module:
    """Parse a module; *path* is for the message.

    Raises SyntaxError for everything that Python rejects, always with a line.
    """
    try:
        return ast.parse(source, filename=str(path))
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        if isinstance(error, SyntaxError) and error.lineno:
            raise
        message = str(error) or "it is nested too deeply"
        raise SyntaxError(message, (str(path), 1, 1, None)) from error
