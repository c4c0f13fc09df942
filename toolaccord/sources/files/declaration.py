"""Files source as a contract declares it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from toolaccord.sources.files.api import Files
from toolaccord.timing.clock import Clock


@dataclass(frozen=True, slots=True, kw_only=True)
class FilesSource:
    """Files that other programs write, as the contract declares them."""

    kind: ClassVar = "files"
    """Kind of the system that answers."""
    name: str
    """Name that tools and handlers use."""
    paths: Mapping[str, str]
    """Names of the settings that hold the paths, by the files' names."""
    max_bytes: int = 65536
    """Largest size of a file in bytes."""

    def open(self, settings: Mapping[str, Any], clock: Clock, /) -> Files:
        """Return the files; none is opened before it is read."""
        from toolaccord.sources.files.client import FileReader  # noqa: PLC0415 - only servers that open one need it

        paths = {name: str(settings[setting]) for name, setting in self.paths.items()}
        return FileReader(self.name, paths, self.max_bytes, clock)
