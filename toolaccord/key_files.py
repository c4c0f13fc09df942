"""Files with certificates and keys, which may change while a process runs."""

from __future__ import annotations

import ssl
from pathlib import Path
from typing import NoReturn


class EncryptedKey(Exception):
    """The key is encrypted."""


def load_certificate(context: ssl.SSLContext, certificate: str | Path, key: str | Path | None) -> None:
    """Give *context* a certificate with its key. Raises EncryptedKey and OSError."""
    context.load_cert_chain(certificate, key, password=_refuse)


def find_version(*paths: str | Path) -> tuple[int, ...]:
    """Return what differs after a change of a file, also of its rights."""
    found: list[int] = []
    for path in paths:
        try:
            stat = Path(path).stat()
        except OSError:
            found.append(-1)
        else:
            found += stat.st_mtime_ns, stat.st_ctime_ns, stat.st_size, stat.st_ino
    return tuple(found)


def _refuse() -> NoReturn:
    """Give no password; OpenSSL would ask for it at the terminal."""
    raise EncryptedKey
