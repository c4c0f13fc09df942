"""The library in a process that may open 100 files, or 400 if it raises its limit."""

from __future__ import annotations

import resource

from tests.toolaccord.demo import library

if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_NOFILE, (100, 400))
    raise SystemExit(library.main())
