"""Files as handlers use them: the protocol and its error."""

from __future__ import annotations

from typing import Protocol

from toolaccord.errors import SourceError
from toolaccord.sources import Source


class FilesError(SourceError):
    """A file exists and cannot be read."""

    service = "files"

    def __init__(self, reason: str) -> None:
        """Take a *reason*, also the text, which holds no value of a call."""
        super().__init__(reason, reason=reason)

    @property
    def is_outage(self) -> bool:
        """Return False: other files may be read."""
        return False


class Files(Source, Protocol):
    """Files that other programs write, by the names of the contract."""

    async def read(self, name: str) -> bytes | None:
        """Return the content of the file *name*; None if there is no file.

        Size and modification time did not change during the read. A writer that replaces the file by `rename` is
        never seen at work. One that writes in place may be: within one tick of the file system's clock, or in a pause.
        Raises FilesError for anything but a regular file, for more than `max_bytes`, without permission, and for a
        file that changes during each of several reads.
        """
