"""Files as handlers use them: the protocol and its error."""

from __future__ import annotations

from typing import Protocol

from toolpact.errors import SourceError
from toolpact.sources import Source


class FilesError(SourceError):
    """A file exists and cannot be read."""

    service = "files"


class Files(Source, Protocol):
    """Files that other programs write, by the names of the contract."""

    async def read(self, name: str) -> bytes | None:
        """Return the content of the file *name*; None if there is no file.

        The file did not change while it was read. A writer that replaces the file by `rename` is therefore never seen
        at work; one that writes in place may have paused in the middle. Raises FilesError for anything but a regular
        file, for more than `max_bytes`, without permission, and for a file that changes during each of several reads.
        """
