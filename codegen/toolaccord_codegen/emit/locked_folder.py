"""A folder that one process writes at a time, and never through a symbolic link."""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from toolaccord_codegen.diagnostics import CommandError
from toolaccord_codegen.loading.documents import display_path
from toolaccord_codegen.loading.regular_files import IrregularFileError, read_regular_file

UNFINISHED = ".unfinished"
"""Name of the file that is being written; a run that was killed may leave it."""
BYTE_CODE = "__pycache__"
_FOLDER = os.O_RDONLY | os.O_DIRECTORY


class BlockedPathError(CommandError):
    """A link, pipe or other thing that is never written through or over."""

    def __init__(self, path: Path, kind: str) -> None:
        super().__init__(f"{display_path(path)} is {kind}; remove it, or choose another --out")


@dataclass(frozen=True, slots=True)
class LockedFolder:
    """A locked folder.

    Paths are relative to it; every folder of a path is opened without following links.
    """

    path: Path
    _descriptor: int

    def read(self, path: str) -> bytes | None:
        """Read a file; None without one.

        Raises BlockedPathError and OSError.
        """
        try:
            with self._parent(path) as (parent, name):
                return read_regular_file(name, folder=parent, follow_links=False)
        except FileNotFoundError:
            return None
        except IrregularFileError as error:
            raise BlockedPathError(self.path / path, error.kind) from error

    def replace(self, path: str, content: str | bytes) -> None:
        """Replace or make a file at once, with its folders. Raises BlockedPathError and OSError."""
        with self._parent(path, create=True) as (parent, name):
            created = os.open(UNFINISHED, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666, dir_fd=self._descriptor)
            with os.fdopen(created, "wb") as file:
                file.write(content.encode() if isinstance(content, str) else content)
            os.replace(UNFINISHED, name, src_dir_fd=self._descriptor, dst_dir_fd=parent)

    def remove(self, path: str) -> None:
        """Remove a file, and the folders above it that then hold nothing but byte code."""
        with self._parent(path) as (parent, name):
            os.unlink(name, dir_fd=parent)
        above = path.rpartition("/")[0]
        while above and self._remove_empty(above):
            above = above.rpartition("/")[0]

    def _remove_empty(self, path: str) -> bool:
        """Remove a folder that holds nothing but byte code; return False for any other."""
        with self._parent(path) as (parent, name), _opened(name, parent) as folder:
            with os.scandir(folder) as found:
                entries = [entry.name for entry in found]
            if entries == [BYTE_CODE] and stat.S_ISDIR(os.lstat(BYTE_CODE, dir_fd=folder).st_mode):
                shutil.rmtree(BYTE_CODE, dir_fd=folder)
                entries = []
            if not entries:
                os.rmdir(name, dir_fd=parent)
        return not entries

    @contextmanager
    def _parent(self, path: str, *, create: bool = False) -> Iterator[tuple[int, str]]:
        """Open the folder of a path; give its descriptor and the last part of the path."""
        *parents, name = path.split("/")
        descriptor = _descend(os.dup(self._descriptor), self.path, parents, create=create)
        try:
            yield descriptor, name
        finally:
            os.close(descriptor)


@contextmanager
def lock_folder(path: Path, below: Path | None = None) -> Iterator[LockedFolder]:
    """Make a folder if needed, and hold its lock; wait while another process holds it.

    The kernel releases the lock with its holder, however that ends. Links are followed as far as the folder *below*,
    by default the parent. Raises BlockedPathError and OSError.
    """
    start = path.parent if below is None else below
    start.mkdir(parents=True, exist_ok=True)
    descriptor = _descend(os.open(start, _FOLDER), start, path.relative_to(start).parts, create=True)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        with suppress(FileNotFoundError):
            os.unlink(UNFINISHED, dir_fd=descriptor)
        yield LockedFolder(path, descriptor)
    finally:
        os.close(descriptor)


def _descend(descriptor: int, path: Path, parts: Sequence[str], *, create: bool) -> int:
    """Open a folder below an open one, which is closed; return the new descriptor."""
    for part in parts:
        path /= part
        try:
            if create:
                with suppress(FileExistsError):
                    os.mkdir(part, dir_fd=descriptor)
            inner = os.open(part, _FOLDER | os.O_NOFOLLOW, dir_fd=descriptor)
        except OSError as error:
            if error.errno not in {errno.ENOTDIR, errno.ELOOP}:
                raise
            raise BlockedPathError(path, "a symbolic link or no folder") from error
        finally:
            os.close(descriptor)
        descriptor = inner
    return descriptor


@contextmanager
def _opened(name: str, parent: int) -> Iterator[int]:
    """Open a folder without following a link."""
    descriptor = os.open(name, _FOLDER | os.O_NOFOLLOW, dir_fd=parent)
    try:
        yield descriptor
    finally:
        os.close(descriptor)
