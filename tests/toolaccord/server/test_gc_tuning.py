import subprocess
import sys

CYCLES = """
from toolaccord.server.gc_tuning import pause_gc

class Cycle:
    alive = most = 0

    def __init__(self):
        self.me = self
        Cycle.alive += 1
        Cycle.most = max(Cycle.most, Cycle.alive)

    def __del__(self):
        Cycle.alive -= 1

with pause_gc():
    pass
for _ in range(20_000):
    Cycle()
print(Cycle.most)
"""


def test_cycles_of_handlers_are_collected_before_they_add_up() -> None:
    ended = subprocess.run([sys.executable, "-c", CYCLES], stdout=subprocess.PIPE, check=True)
    assert int(ended.stdout) < 3_000
