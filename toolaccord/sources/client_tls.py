"""Files of a source's TLS, which parameters of its address name as libpq's do."""

from __future__ import annotations

import os
import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn
from urllib.parse import parse_qsl, urlencode, urlsplit

ROOT, CERTIFICATE, KEY = "sslrootcert", "sslcert", "sslkey"
"""Parameters of an address: the authorities, the certificate of this client, and its key."""
_SECURE = {
    "grpc": "grpcs",
    "http": "https",
    "influxdb": "https",
    "mcp": "https",
    "nats": "tls",
    "postgresql": "postgresql",
    "redis": "rediss",
}
"""The scheme of an address with TLS, by kind."""
_UNREADABLE = "cannot be read"


class _EncryptedKey(Exception):
    """The key is encrypted."""


@dataclass(frozen=True, slots=True)
class ClientTls:
    """Files of TLS; without any, the authorities of the system and no certificate."""

    root: str = ""
    """File with the authorities of the server, in PEM."""
    certificate: str = ""
    """File with the certificate of this client, and those of its issuers."""
    key: str = ""
    """File with its key, not encrypted; that of the certificate may hold it, too."""

    def __bool__(self) -> bool:
        """Return whether any file is named."""
        return bool(self.root or self.certificate or self.key)

    def create_context(self) -> ssl.SSLContext:
        """Return the context of a client. Raises ValueError with a sentence on the files."""
        try:
            context = ssl.create_default_context(cafile=self.root or None)
        except OSError as error:
            raise ValueError(_explain(ROOT, self.root, error)) from None
        if self.key and not self.certificate:
            raise ValueError(f"has {KEY} without {CERTIFICATE}")
        if self.certificate:
            self._load_certificate(context)
        return context

    def _load_certificate(self, context: ssl.SSLContext) -> None:
        for name, path in ((CERTIFICATE, self.certificate), (KEY, self.key)):
            if path and not os.access(path, os.R_OK):
                raise ValueError(f"names {path} in {name}, which {_UNREADABLE}")
        try:
            context.load_cert_chain(self.certificate, self.key or None, password=_refuse)
        except _EncryptedKey:
            raise ValueError(f"names {self.key or self.certificate} in {KEY}, which is encrypted") from None
        except OSError as error:
            raise ValueError(_explain(KEY if self.key else CERTIFICATE, self.key or self.certificate, error)) from None

    @staticmethod
    def read(path: str) -> bytes | None:
        """Return the content of a file; None for no path. Raises ValueError."""
        try:
            return Path(path).read_bytes() if path else None
        except OSError as error:
            raise ValueError(f"names {path}, which {_UNREADABLE}: {error.strerror}") from None


def split_tls(address: str) -> tuple[str, ClientTls]:
    """Return an address without the parameters of TLS, and its files."""
    parts = urlsplit(address)
    if not any(name in parts.query for name in (ROOT, CERTIFICATE, KEY)):
        return address, ClientTls()
    query = parse_qsl(parts.query, keep_blank_values=True)
    named = dict(query)
    rest = urlencode([(name, value) for name, value in query if name not in (ROOT, CERTIFICATE, KEY)])
    files = ClientTls(named.get(ROOT, ""), named.get(CERTIFICATE, ""), named.get(KEY, ""))
    return parts._replace(query=rest).geturl(), files


def find_tls_error(kind: str, address: str) -> str | None:
    """Return what is wrong with the files of TLS in an address; None if nothing.

    The text completes "SETTING ...", and never repeats the address.
    """
    scheme = _SECURE.get(kind)
    if scheme is None or (kind == "mcp" and not address.startswith("http")):  # a command
        return None
    rest, files = split_tls(address)
    if kind == "postgresql":
        if not files.root and _verifies(address):
            return f"verifies the certificate of its server, so it must name the file of its authority in {ROOT}"
    elif files and urlsplit(rest).scheme != scheme:
        return f"must begin with {scheme}:// to have the parameters {ROOT}, {CERTIFICATE} and {KEY}"
    if not files:
        return None
    try:
        files.create_context()
    except ValueError as error:
        return str(error)
    return None


def _verifies(address: str) -> bool:
    """Return whether a URL of PostgreSQL demands an authority that no other place names."""
    mode = dict(parse_qsl(urlsplit(address).query)).get("sslmode", "")
    home = Path.home() / ".postgresql/root.crt"
    return mode.startswith("verify-") and not os.environ.get("PGSSLROOTCERT") and not home.exists()


def _refuse() -> NoReturn:
    """Give no password; OpenSSL would ask for it at the terminal."""
    raise _EncryptedKey


def _explain(name: str, path: str, error: OSError) -> str:
    reason = getattr(error, "reason", None)
    if reason == "KEY_VALUES_MISMATCH":
        return f"names {path} in {name}, which does not fit the certificate"
    if isinstance(error, ssl.SSLError):
        return f"names {path} in {name}, which holds nothing of that kind in PEM"
    return f"names {path} in {name}, which {_UNREADABLE}: {error.strerror}"
