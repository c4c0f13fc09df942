"""What the headers of an HTTP request say about a call and its caller."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_PRODUCT = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}")


def meta(headers: Mapping[str, str], said: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return *said*, the `_meta` of a request, completed by its headers: the request itself speaks first.

    A trace context goes before a correlation id. Nothing is checked here: whoever reads an id takes only one that is well-formed.
    """
    known = dict(said or {})
    if "traceparent" not in known and "traceparent" in headers:
        known |= {name: headers[name] for name in ("traceparent", "tracestate") if name in headers}
    if not known.keys() & {"corr_id", "traceparent"} and "x-correlation-id" in headers:
        known["corr_id"] = headers["x-correlation-id"]
    if "idempotency-key" in headers:
        known.setdefault("idempotency_key", headers["idempotency-key"])
    return known


def product(headers: Mapping[str, str]) -> str:
    """Return the first product that the User-Agent names, without its version; empty where it names none."""
    found = _PRODUCT.match(headers.get("user-agent", ""))
    return found[0] if found else ""
