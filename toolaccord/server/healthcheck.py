"""Health check of a container: `python -m toolaccord.server.healthcheck [PORT]`."""

from __future__ import annotations

import http.client
import os
import sys
from collections.abc import Mapping, Sequence

_PORT = 8000
_TIMEOUT_S = 2.0


def main(arguments: Sequence[str], environ: Mapping[str, str]) -> int:
    """Return 0 if `GET /health` answers 200; else report the reason and return 1.

    The request carries the first token of MCP_AUTH_TOKEN, and uses TLS with MCP_TLS_CERTIFICATE, which the server has
    from the same environment.
    """
    port = int(arguments[0]) if arguments else _PORT
    token = environ.get("MCP_AUTH_TOKEN", "").partition(",")[0].strip()
    connection = _connect(port, is_secure=bool(environ.get("MCP_TLS_CERTIFICATE")))
    try:
        connection.request("GET", "/health", headers={"Authorization": f"Bearer {token}"} if token else {})
        status = connection.getresponse().status
    except (OSError, http.client.HTTPException) as error:
        sys.stderr.write(f"no answer on port {port}: {error}\n")
        return 1
    finally:
        connection.close()
    if status != 200:
        sys.stderr.write(f"/health answers {status}\n")
    return 0 if status == 200 else 1


def _connect(port: int, *, is_secure: bool) -> http.client.HTTPConnection:
    """Return the connection to a port of this machine, whose certificate names another host."""
    if not is_secure:
        return http.client.HTTPConnection("127.0.0.1", port, timeout=_TIMEOUT_S)
    import ssl  # noqa: PLC0415 - most servers have no TLS

    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return http.client.HTTPSConnection("127.0.0.1", port, timeout=_TIMEOUT_S, context=context)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:], os.environ))
