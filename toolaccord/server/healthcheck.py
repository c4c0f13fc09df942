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

    The request carries the first token of MCP_AUTH_TOKEN, which the server has from the same environment.
    """
    port = int(arguments[0]) if arguments else _PORT
    token = environ.get("MCP_AUTH_TOKEN", "").partition(",")[0].strip()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_TIMEOUT_S)
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


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:], os.environ))
