"""Safety of URLs: this machine alone, and places to which a secret may go."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit


def is_loopback(host: str | None) -> bool:
    """Return whether *host* names this machine alone, which no proxy can reach."""
    try:
        return ipaddress.ip_address(host or "").is_loopback
    except ValueError:
        return (host or "").lower() == "localhost"


def is_safe_url(url: str) -> bool:
    """Return whether a URL is safe from others on the way, and has no password for the log."""
    try:
        parts = urlsplit(url)
        host, has_port = parts.hostname or "", parts.port != 0
    except ValueError:  # such as a port of six digits
        return False
    is_safe = parts.scheme == "https" or (parts.scheme == "http" and is_loopback(host))
    return is_safe and bool(host) and has_port and "@" not in parts.netloc and not parts.fragment and url == url.strip()
