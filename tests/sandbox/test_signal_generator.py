"""Run the signal generator on the sandbox's servers, data and Redis."""

import json
import subprocess
import sys

from sandbox.market import PAIRS
from tests.toolpact.process import PATIENCE_S, ROOT


def test_every_symbol_of_the_sandbox_has_a_signal_from_complete_data() -> None:
    command = [sys.executable, "-m", "generated.agents.signal_generator", "--sandbox", "--all"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert done.returncode == 0, done.stderr
    batches = [json.loads(line) for line in done.stdout.splitlines()]
    assert [len(batch["successful"]) for batch in batches] == [10, 10]
    assert [signal["symbol"] for batch in batches for signal in batch["successful"]] == list(PAIRS)
