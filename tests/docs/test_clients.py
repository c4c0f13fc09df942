"""Prove the statements of docs/clients.md on typed clients."""

import ast
import dataclasses
import re
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from generated.tradestream.strategy.client import StrategyClient
from tests.servers.harness import Recorder
from toolaccord import errors
from toolaccord.client import policies
from toolaccord.errors import CallFailed
from toolaccord.testing import connection
from toolaccord_codegen.emit.render import SERVER_CLIENT_METHODS

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/clients.md").read_text(encoding="utf-8")


def find_python_examples(text: str) -> list[str]:
    """Return the Python examples of a page."""
    return re.findall(r"```python\n(.*?)```", text, re.DOTALL)


def test_the_whole_program_of_the_page_runs(tmp_path: Path) -> None:
    example = next(each for each in find_python_examples(PAGE) if "NoSignal" in each)
    output = run_example(tmp_path, example)
    shown = r"[A-Z_0-9]+ -?\d+\.\d+ ((BUY|SELL|HOLD) [01]\.\d+|.* no current signal .*)"
    assert [bool(re.fullmatch(shown, line)) for line in output.splitlines()] == [True] * 3, output


def test_the_examples_of_the_page_are_python() -> None:
    examples = find_python_examples(PAGE)
    assert examples
    for example in examples:
        assert ast.parse(example).body


def test_the_example_of_tasks_runs(tmp_path: Path) -> None:
    (example,) = [each for each in find_python_examples(PAGE) if "start_run_backtest" in each]
    *states, first, second = run_example(tmp_path, example).splitlines()
    assert (states[0], states[-1]) == ("working None None None", "completed None 1.0 1.0")
    assert first == second
    assert int(first) > 0


def test_the_examples_of_policies_run(tmp_path: Path) -> None:
    examples = [each for each in find_python_examples(PAGE) if "toolaccord.client.policies" in each]
    shown = [run_example(tmp_path, each) for each in examples]
    assert re.fullmatch(r"True \d\.\d+(e-\d+)? False\n", shown[0])
    assert shown[1:] == [""]


async def test_the_examples_of_prompts_and_completion_run(capsys: pytest.CaptureFixture[str]) -> None:
    code = "\n".join(each for each in find_python_examples(PAGE) if "analyze_symbol" in each)
    defined: dict[str, Any] = {}
    exec(f"async def run(client):\n{textwrap.indent(code, '    ')}", defined)
    async with StrategyClient(connection(Recorder("tradestream.strategy").server())) as client:
        await defined["run"](client)
    prompt, *_, completed = capsys.readouterr().out.splitlines()
    assert prompt == "user Analyze ETH/USD, and recommend BUY, SELL or HOLD."
    assert completed == "('eth0', 'eth1', 'eth2') 3 False"


def run_example(folder: Path, code: str) -> str:
    """Return the output of an example."""
    (folder / "calling.py").write_text(code, encoding="utf-8")
    command = [sys.executable, "-X", "utf8", "-m", "calling"]  # in a new interpreter, as its reader would run it
    done = subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_page_names_every_policy_and_every_event() -> None:
    names = [*policies.__all__, *(field.name for field in dataclasses.fields(policies.ClientPolicies))]
    assert [name for name in names if name not in PAGE and name not in {"clock", "random"}] == []


def test_the_page_names_every_error_that_a_client_raises() -> None:
    kinds = [each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, CallFailed)]
    assert [kind.__name__ for kind in kinds if kind.__name__ not in PAGE] == []


def test_the_page_names_every_method_that_all_clients_have() -> None:
    (names,) = re.findall(r"Every client has the methods (.*)\. A tool", PAGE)
    assert set(re.findall(r"`(\w+)`", names)) == SERVER_CLIENT_METHODS
