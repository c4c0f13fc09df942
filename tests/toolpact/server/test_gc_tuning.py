import subprocess
import sys

CYCLES = """
from toolpact.server.gc_tuning import loading

class Cycle:
    alive = most = 0

    def __init__(self):
        self.me = self
        Cycle.alive += 1
        Cycle.most = max(Cycle.most, Cycle.alive)

    def __del__(self):
        Cycle.alive -= 1

with loading():
    pass
for _ in range(20_000):
    Cycle()
print(Cycle.most)
"""


def test_what_handlers_leave_in_cycles_never_becomes_much() -> None:
    ended = subprocess.run([sys.executable, "-c", CYCLES], stdout=subprocess.PIPE, check=True)
    assert int(ended.stdout) < 3_000
