"""Files source: small files that other programs write."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolaccord.contract.source_kinds import files
from toolaccord.sources.files.api import Files, FilesError
from toolaccord.timing.clock import Clock

__all__ = ["Files", "FilesError", "FilesSource"]


class FilesSource(files.FilesSource):
    """Files that other programs write, as the contract declares them."""

    __slots__ = ()

    def open(self, settings: Mapping[str, Any], clock: Clock, /) -> Files:
        """Return the files; none is opened before it is read."""
        from toolaccord.sources.files.client import FileReader  # noqa: PLC0415 - only servers that open one need it

        paths = {name: str(settings[setting]) for name, setting in self.paths.items()}
        return FileReader(self.name, paths, self.max_bytes, clock)
