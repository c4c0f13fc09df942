"""The process of an agent over A2A."""

import json
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from tests.services.valkey import Valkey
from tests.toolaccord.agent.a2a.served import say
from tests.toolaccord.agent.test_main import run_scout
from tests.toolaccord.demo.scout import agent
from tests.toolaccord.process import PATIENCE_S, Process, started
from tests.toolaccord.transports.http.test_listening import has_ipv6
from toolaccord.agent.cli import parse_arguments

SCOUT = "tests.toolaccord.demo.scout"
ENVIRON = {"REDIS_URL": "redis://127.0.0.1:1/0", "SHELF_URL": "shelf://wall"}
"""The environment of an agent that nobody answers."""


@pytest.fixture
async def scout(tmp_path: Path) -> AsyncIterator[Process]:
    """Yield an agent with a server and a Redis."""
    with Valkey(tmp_path).running() as valkey:
        environ = {"REDIS_URL": valkey.url}
        public = ("--public-url", "https://scout.example/books/")
        async with started("--a2a", "--port", "0", *public, module=SCOUT, environ=environ) as process:
            await process.log_has(": listening on http://")
            yield process


def url_of(process: Process) -> str:
    """Return the URL of the listener."""
    return process.logged.decode().partition(": listening on ")[2].split()[0]


async def test_any_agent_answers_whole_requests_over_a2a_until_a_signal(scout: Process) -> None:
    async with httpx.AsyncClient(base_url=url_of(scout), timeout=PATIENCE_S, trust_env=False) as client:
        if has_ipv6():
            other = url_of(scout).replace("127.0.0.1", "[::1]")
            assert (await client.get(f"{other}/health")).json() == {"status": "ok"}
        card = (await client.get("/.well-known/agent-card.json", headers={"Host": "scout.example"})).json()
        plain = await client.post("/a2a", json={"book": "7"}, headers={"X-Correlation-ID": "book-7"})
        message = say("", parts=[{"data": {"book": "8"}}])
        sent = await client.post("/a2a/v1/message:send", json={"message": message}, headers={"A2A-Version": "1.0"})
        worded = await client.post("/a2a/v1/message:send", json={"message": say("8")}, headers={"A2A-Version": "1.0"})
        ready = await client.get("/ready")
    scout.signal(signal.SIGTERM)
    assert await scout.exit_code() == 0
    assert {each["url"] for each in card["supportedInterfaces"]} == {"https://scout.example/books/a2a/v1"}
    assert card["defaultInputModes"] == ["application/json"]
    assert plain.json() == {"book": "7", "kind": "NOVEL", "title": "get 7", "confidence": 1.0}
    (artifact,) = sent.json()["task"]["artifacts"]
    assert [part["data"]["title"] for part in artifact["parts"]] == ["get 8"]
    assert worded.status_code == 400
    assert worded.json()["error"]["message"] == "Send one data part with the request."
    assert ready.json() == {"status": "ready", "sources": {"bus": "ok"}}
    lines = [json.loads(line) for line in scout.logged.splitlines() if b'"corr_id":"book-7"' in line]
    assert {line["message"] for line in lines} >= {"request", "call"}  # of the agent, and of its server


@pytest.mark.parametrize(
    "arguments, reason",
    [
        (("--a2a", "7"), "--a2a takes requests over HTTP, and none on the command line"),
        (("--a2a", "--every", "60"), "--a2a takes requests over HTTP, and none on the command line"),
        (("--a2a", "--metrics-port", "0"), "with --a2a the metrics are at /metrics"),
        (("--a2a", "--host", "0.0.0.0"), "--host 0.0.0.0 needs --public-url"),
        (("--a2a", "--public-url", "scout.example"), "invalid URL of HTTP value: 'scout.example'"),
    ],
)
def test_options_that_do_not_go_together_are_told(
    arguments: tuple[str, ...], reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        parse_arguments(agent(), arguments, has_sandbox=False)
    assert ended.value.code == 2
    assert reason in capsys.readouterr().err


def test_a_public_address_needs_a_token() -> None:
    ended = run_scout("--a2a", "--host", "0.0.0.0", "--public-url", "http://x", environ=ENVIRON)
    assert ended.returncode == 2
    assert "needs a token: set MCP_AUTH_TOKEN" in ended.stderr


def test_a_missing_extra_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    for loaded in [name for name in sys.modules if name.startswith(("a2a.", "toolaccord.agent.a2a."))]:
        monkeypatch.delitem(sys.modules, loaded)
    monkeypatch.setitem(sys.modules, "a2a", None)
    ended = run_scout("--a2a", environ=ENVIRON)
    assert ended.returncode == 2
    assert ended.stderr == "scout-agent: a2a is not installed: install toolaccord with its extra a2a\n"
