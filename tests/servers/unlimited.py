"""Serve without rate limits: `python -m tests.servers.unlimited [OPTION ...] MODULE`."""

import importlib
import sys

from tests.servers.harness import unlimited
from toolaccord.server.main import run


def main() -> int:
    """Serve the server of a module such as generated.platform.storage."""
    *options, module = sys.argv[1:]
    handlers = importlib.import_module(module.replace("generated", "handlers", 1))
    server = importlib.import_module(f"{module}.server").server(handlers)
    return run(unlimited(server), argv=options, package=module)


if __name__ == "__main__":
    raise SystemExit(main())
