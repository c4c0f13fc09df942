"""Runs a command to its end, and writes to standard error what it cost, as JSON; what it says goes to standard output.

A process of its own, and a small one: Linux counts what a process held before it became another program, so that one that a
large process starts seems as large.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time

if __name__ == "__main__":
    began = time.perf_counter()
    status = subprocess.call(sys.argv[1:], stderr=subprocess.STDOUT)
    wall_s = time.perf_counter() - began
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    cost = {"wall_s": wall_s, "processor_s": used.ru_utime + used.ru_stime, "memory_mib": used.ru_maxrss / 1024}
    sys.stderr.write(json.dumps({"status": status, "cost": cost}))
