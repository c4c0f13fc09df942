"""Run the signal generator on the sandbox's servers, data and Redis."""

import json
import subprocess
import sys

from sandbox.market import PAIRS
from tests.toolaccord.process import PATIENCE_S, ROOT


def test_every_symbol_of_the_sandbox_has_a_signal_that_lacks_no_more_than_votes() -> None:
    command = [sys.executable, "-m", "generated.agents.signal_generator", "--sandbox", "--all"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert done.returncode == 0, done.stderr
    batches = [json.loads(line) for line in done.stdout.splitlines()]
    assert [batch["success_rate"] for batch in batches] == [1, 1]
    partial = [each for batch in batches for each in batch["partial"]]
    assert all(each["missing_data"] == ["strategies"] for each in partial), "only strategies without a current signal"
    signals = [signal for batch in batches for signal in batch["successful"]] + [each["signal"] for each in partial]
    assert sorted(signal["symbol"] for signal in signals) == sorted(PAIRS)
