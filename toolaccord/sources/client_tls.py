"""Files of a source's TLS, which parameters of its address name as libpq's do."""

from __future__ import annotations

import logging
import os
import ssl
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qsl, urlencode, urlsplit

from toolaccord.key_files import EncryptedKey, find_version, load_certificate

_LOG = logging.getLogger(__name__)
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
        self._load_certificate(context)
        return context

    def load_into(self, context: ssl.SSLContext) -> None:
        """Add the authorities to a *context*, and replace its certificate. Raises ValueError."""
        if self.root:
            context.load_verify_locations(self.root)
        self._load_certificate(context)

    def _load_certificate(self, context: ssl.SSLContext) -> None:
        if self.key and not self.certificate:
            raise ValueError(f"has {KEY} without {CERTIFICATE}")
        if not self.certificate:
            return
        for name, path in ((CERTIFICATE, self.certificate), (KEY, self.key)):
            if path and not os.access(path, os.R_OK):
                raise ValueError(f"names {path} in {name}, which {_UNREADABLE}")
        try:
            load_certificate(context, self.certificate, self.key or None)
        except EncryptedKey:
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


class FreshContext:
    """The context of a client that is made once, although its files change."""

    def __init__(self, files: ClientTls) -> None:
        """Read the files. Raises ValueError."""
        self._files = files
        self._version = self._find_version()
        self.context = files.create_context()
        """The context of each connection."""

    def refresh(self) -> None:
        """Read the files again if one has changed; files that do not fit leave all as it was."""
        version = self._find_version()
        if version == self._version:
            return
        self._version = version
        try:
            self._files.create_context()
        except ValueError as error:
            _LOG.error("the TLS of a source stays as it was: its address %s", error)
            return
        self._files.load_into(self.context)

    def _find_version(self) -> tuple[int, ...]:
        files = self._files
        return find_version(*filter(None, (files.root, files.certificate, files.key)))


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


def _explain(name: str, path: str, error: OSError) -> str:
    reason = getattr(error, "reason", None)
    if reason == "KEY_VALUES_MISMATCH":
        return f"names {path} in {name}, which does not fit the certificate"
    if isinstance(error, ssl.SSLError):
        return f"names {path} in {name}, which holds nothing of that kind in PEM"
    return f"names {path} in {name}, which {_UNREADABLE}: {error.strerror}"
