"""The mode of a pooler in front of PostgreSQL, as a URL names it."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlencode, urlsplit

_KEY, _TRANSACTION = "pool_mode", "transaction"


def split_pool_mode(url: str) -> tuple[str, bool]:
    """Return a URL without `pool_mode`, and whether it is `transaction`, as PgBouncer calls it.

    The other modes give a connection of the server to each session, as if there were no pooler.
    """
    try:
        parts = urlsplit(url)
    except ValueError:  # the connection says so
        return url, False
    members = parse_qsl(parts.query, keep_blank_values=True)
    modes = [value for key, value in members if key == _KEY]
    if not modes:
        return url, False
    query = urlencode([(key, value) for key, value in members if key != _KEY])
    return parts._replace(query=query).geturl(), modes[-1] == _TRANSACTION
