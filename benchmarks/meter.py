"""Run a command to its end, and write its cost to standard error, as JSON.

The command's output goes to standard output. This is a small process of its own. Linux counts
the memory of a process before `exec` too, so a child of a large process seems as large.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time

if __name__ == "__main__":
    start = time.perf_counter()
    status = subprocess.call(sys.argv[1:], stderr=subprocess.STDOUT)
    wall_s = time.perf_counter() - start
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    cost = {"wall_s": wall_s, "processor_s": used.ru_utime + used.ru_stime, "memory_mib": used.ru_maxrss / 1024}
    sys.stderr.write(json.dumps({"status": status, "cost": cost}))
