import json
import os
import subprocess
import sys

from tests.toolaccord.process import PATIENCE_S, ROOT
from toolaccord.declarations.tool import WORK
from toolaccord.server.transports import TRANSPORTS

FIFTH = """
import sys
from dataclasses import replace
from tests.toolaccord.demo.counter import server
from toolaccord.server.main import run
from toolaccord.server.transports import TRANSPORTS, Transport

async def serve(configured, process):
    pipeline = configured.open(process.tracer, with_metrics=False).pipeline
    for line in sys.stdin:
        print((await pipeline.call("count", {"to": int(line)})).text)

rejected = {"reference": "--reference is for MCP"}
TRANSPORTS["lines"] = Transport(protocol="numbers, one a line", rejected_options=rejected, serve=serve)
raise SystemExit(run(replace(server(), transports=("stdio", "lines"))))
"""


def run_fifth(*arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
    """Run a server on a transport that this test adds."""
    return subprocess.run(
        [sys.executable, "-c", FIFTH, *arguments],
        input=text, env={**os.environ}, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE_S, check=False,
    )  # fmt: skip


def test_an_entry_is_all_that_a_server_needs_for_another_transport() -> None:
    ended = run_fifth("--transport", "lines", text="2\n3\n")
    assert ended.returncode == 0, ended.stderr
    assert ['"to":2' in line or '"to":3' in line for line in ended.stdout.splitlines()] == [True, True]


def test_the_help_names_the_protocol_of_another_transport() -> None:
    text = " ".join(run_fifth("--help").stdout.split())
    assert "Speaks MCP on standard input and output or numbers, one a line." in text
    assert "{stdio,lines}" in text


def test_an_option_that_another_transport_cannot_use_is_rejected() -> None:
    ended = run_fifth("--transport", "lines", "--reference")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "--reference is for MCP" in ended.stderr


def test_each_transport_of_the_contract_language_has_an_entry() -> None:
    schema = json.loads((ROOT / "codegen/toolaccord_codegen/contract.schema.json").read_text(encoding="utf-8"))
    assert [*schema["$defs"]["Transports"]["items"]["enum"], WORK] == [*TRANSPORTS]
