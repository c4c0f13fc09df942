"""Files source: small files that other programs write."""

from __future__ import annotations

from toolaccord.sources.files.api import Files, FilesError
from toolaccord.sources.files.declaration import FilesSource

__all__ = ["Files", "FilesError", "FilesSource"]
