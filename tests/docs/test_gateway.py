"""Prove the statements of docs/gateway.md."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

from generated.gateway.swimmy.models import BacktestSubmitRequest
from handlers.gateway.backtest_request import build_request
from tests.contracts.reading import CONTRACTS, ROOT, contracts, load
from toolaccord.s_expressions.reader import parse
from toolaccord.s_expressions.writer import encode

PAGE = (ROOT / "docs/gateway.md").read_text(encoding="utf-8")
CONTRACT = contracts()["gateway.swimmy"]
DIALECT = load(CONTRACTS / "dialects.json")["gateway"]
TEN_LINES = 10


def find_example(language: str, containing: str) -> str:
    """Return the one example of a language with a text in it."""
    examples = re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    (example,) = (each for each in examples if containing in each)
    return str(example)


def test_the_client_of_the_page_submits_a_backtest_and_prints_its_result(tmp_path: Path) -> None:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        [sys.executable, "-c", find_example("python", "Popen")], cwd=tmp_path, env=os.environ | {"PATH": path},
        capture_output=True, encoding="utf-8", check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    status = ast.literal_eval(done.stdout)
    assert (status["mode"], status["state"]) == ("request", "done")
    assert status["result"]["request_id"] == status["request_id"]


def test_the_client_of_the_page_has_ten_lines() -> None:
    client, _, _ = find_example("python", "Popen").partition("\nstrategy = ")
    assert len([line for line in client.splitlines() if line]) <= TEN_LINES


def test_the_page_lists_every_method_every_error_and_every_setting() -> None:
    for each in CONTRACT["tools"]:
        assert f"| `{each['name']}` |" in PAGE
    rows = {row[1]: row[2] for row in re.finditer(r"^\| (-32\d+) \| (.*?) \|", PAGE, re.MULTILINE)}
    named = {number: set(re.findall(r"`(\w+)`", names)) for number, names in rows.items()}
    expected: dict[str, set[str]] = {}
    own = [error for each in CONTRACT["tools"] for error in each["errors"] if "jsonrpc" in error]
    for name, number in [
        *((name, code["jsonrpc"]) for name, code in DIALECT["codes"].items()),
        *((error["code"], error["jsonrpc"]) for error in own),
    ]:
        expected.setdefault(str(number), set()).add(name)
    assert named == expected
    assert [each["env"] for each in CONTRACT["settings"].values() if each["env"] not in PAGE] == []


def test_the_message_of_the_page_is_that_of_its_arguments() -> None:
    arguments = BacktestSubmitRequest.model_validate_json(find_example("json", '"candles_file"'))
    request = build_request(arguments, "5f0c6f2b9a4e4f0f8a3d2c1b0e9f8a7d").model_dump(exclude_none=True)
    event = CONTRACT["events"]["backtest_request"]
    assert encode(request, event["symbols"]).decode() == find_example("text", '"BACKTEST"').strip()


def test_the_result_of_the_page_is_one() -> None:
    result = parse(find_example("text", "BACKTEST_RESULT").encode())
    assert result["result"]["request_id"] == "REQ-42"
