"""The certificate of a server over HTTP, which may change while it runs."""

from __future__ import annotations

import logging
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from prometheus_client import CollectorRegistry, Gauge

from toolaccord.config.access_rules import TlsFiles
from toolaccord.config.process_settings import CERTIFICATE, KEY
from toolaccord.key_files import EncryptedKey, find_version, load_certificate
from toolaccord.timing.clock import Clock, SingleTimer

_LOG = logging.getLogger(__name__)
_LOOK_AGAIN_S = 1.0
"""Seconds after which the files are looked at again."""
_LONGEST_NOTICE = timedelta(days=30)
_NOTICE_OF_LIFE = 3
"""The part of a certificate's life at its end in which the log warns: a third."""
_WARN_AGAIN = timedelta(days=1)
_REPORT_AGAIN_S = 60.0
"""Seconds between two lines on failed handshakes."""
_HANDSHAKE_FAULTS = {
    "HTTP_REQUEST": "the client speaks HTTP without TLS; its URL must begin with https://",
    "TLSV1_ALERT_UNKNOWN_CA": "the client does not trust the authority; give it that, or the whole chain",
    "SSLV3_ALERT_BAD_CERTIFICATE": "the client rejects the certificate; look whether it names this host",
    "SSLV3_ALERT_CERTIFICATE_UNKNOWN": "the client rejects the certificate; look at its log",
    "SSLV3_ALERT_CERTIFICATE_EXPIRED": "the client finds the certificate expired; look at both clocks",
    "UNSUPPORTED_PROTOCOL": "the client has no TLS 1.2; update it",
    "NO_SHARED_CIPHER": "the client has no cipher in common; update it",
}
"""Reasons of failed handshakes by OpenSSL's names."""


@dataclass(frozen=True, slots=True)
class _Loaded:
    """Content of the files."""

    context: ssl.SSLContext
    starts_at: datetime
    expires_at: datetime

    @property
    def notice(self) -> timedelta:
        """Time before the end in which the log warns."""
        return min(_LONGEST_NOTICE, (self.expires_at - self.starts_at) / _NOTICE_OF_LIFE)


class Certificate:
    """The certificate with its key, read again when a file changes.

    Files that do not fit leave the certificate as it was, and are logged once.
    """

    def __init__(self, files: TlsFiles, clock: Clock) -> None:
        """Read the files. Raises ValueError with a sentence that names the setting."""
        self._files = files
        self._clock = clock
        self._timer = SingleTimer(clock)
        self._version = find_version(self._files.certificate, self._files.key)
        self._loaded = _load(files, clock.now())
        self._fault = ""
        """Reason why the files are not in use, until it is logged."""
        self._warned_at: datetime | None = None
        self._reported_at: float | None = None

    @property
    def context(self) -> ssl.SSLContext:
        """The context of the next connection."""
        return self._loaded.context

    @property
    def expires_at(self) -> datetime:
        """The end of the certificate in use."""
        return self._loaded.expires_at

    def observe(self, registry: CollectorRegistry) -> None:
        """Report the end of the certificate at each scrape."""
        gauge = Gauge(
            "mcp_tls_certificate_expiry_timestamp_seconds", "End of the certificate in use", registry=registry
        )
        gauge.set_function(self._read_expiry)

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Look at the files and at the end of the certificate within the block."""
        self._look()
        try:
            yield
        finally:
            self._timer.stop()

    def report_failed_handshake(self, error: object) -> None:
        """Log why a handshake failed, at most once a minute: any client can cause it."""
        fault = _HANDSHAKE_FAULTS.get(str(getattr(error, "reason", "")))
        now = self._clock.monotonic()
        if fault is None or (self._reported_at is not None and now - self._reported_at < _REPORT_AGAIN_S):
            return
        self._reported_at = now
        _LOG.warning("a TLS handshake failed: %s", fault)

    def _read_expiry(self) -> float:
        return self.expires_at.timestamp()

    def _look(self) -> None:
        """Read changed files; log what was found, and the end of the certificate if it is near."""
        version = find_version(self._files.certificate, self._files.key)
        if version != self._version:
            self._version, self._fault = version, self._read_again()
        elif self._fault:  # not of files of which only one has been replaced yet
            _LOG.error("the certificate stays as it was: %s", self._fault)
            self._fault = ""
        self._warn()
        self._timer.start(_LOOK_AGAIN_S, self._look)

    def _read_again(self) -> str:
        """Read the files; return why they cannot be used."""
        try:
            self._loaded = _load(self._files, self._clock.now())
        except ValueError as error:
            return str(error)
        self._warned_at = None
        _LOG.info("%s was read again: valid until %s", self._files.certificate, _format(self.expires_at))
        return ""

    def _warn(self) -> None:
        """Log that the certificate expires soon, or has expired, at most once a day."""
        now = self._clock.now()
        left = self.expires_at - now
        if left > self._loaded.notice or (self._warned_at and now - self._warned_at < _WARN_AGAIN):
            return
        self._warned_at = now
        if left > timedelta(0):
            _LOG.warning("the certificate expires at %s; replace %s", _format(self.expires_at), self._files.certificate)
        else:
            _LOG.error("the certificate expired at %s; replace %s", _format(self.expires_at), self._files.certificate)


def _load(files: TlsFiles, now: datetime) -> _Loaded:
    """Return what the files hold.

    Raises ValueError with a sentence that names the setting, without any part of the key.
    """
    from cryptography import x509  # noqa: PLC0415 - takes 30 ms to load, and few servers need it

    text = _read(CERTIFICATE, files.certificate)
    _read(KEY, files.key)
    try:
        first = x509.load_pem_x509_certificates(text)[0]
    except (ValueError, x509.InvalidVersion):
        raise ValueError(f"{CERTIFICATE}: {files.certificate} holds no certificate in PEM") from None
    starts_at, expires_at = first.not_valid_before_utc, first.not_valid_after_utc
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(["http/1.1"])
    try:
        load_certificate(context, files.certificate, files.key)
    except EncryptedKey:
        raise ValueError(f"{KEY}: {files.key} is encrypted; store the key without a password") from None
    except (ssl.SSLError, OSError) as error:
        raise ValueError(_explain(files, error)) from None
    if now >= expires_at:
        raise ValueError(f"{CERTIFICATE}: {files.certificate} expired at {_format(expires_at)}; renew it")
    if now < starts_at:
        raise ValueError(f"{CERTIFICATE}: {files.certificate} is valid from {_format(starts_at)} on; look at the clock")
    return _Loaded(context, starts_at, expires_at)


def _read(setting: str, path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ValueError(f"{setting}: {path} cannot be read: {error.strerror}") from None


def _explain(files: TlsFiles, error: OSError) -> str:
    reason = getattr(error, "reason", None)
    if reason == "KEY_VALUES_MISMATCH":
        return f"{KEY}: {files.key} does not fit the first certificate of {files.certificate}"
    if reason is None:  # OpenSSL found no key
        return f"{KEY}: {files.key} holds no key in PEM"
    return f"{CERTIFICATE}: OpenSSL does not accept {files.certificate} with {files.key}: {reason}"


def _format(time: datetime) -> str:
    return f"{time:%Y-%m-%d %H:%M} UTC"
