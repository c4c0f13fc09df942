"""Archives with the same bytes for the same files, on every machine."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

EARLIEST = (1980, 1, 1, 0, 0, 0)
"""The first time that a ZIP file can hold."""
READABLE = 0o100644 << 16


def pack(files: Mapping[str, bytes]) -> bytes:
    """Return a ZIP file with files by their paths.

    It is not compressed: the bytes of a compression differ between versions of zlib.
    """
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_STORED) as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, EARLIEST)
            entry.external_attr = READABLE
            entry.create_system = 3  # UNIX, on every machine
            archive.writestr(entry, files[name])
    return packed.getvalue()
