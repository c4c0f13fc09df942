"""The process of an agent, with a real server and a real Redis."""

import asyncio
import json
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from io import StringIO
from itertools import islice
from pathlib import Path
from typing import Any
from unittest.mock import patch

import httpx
import pytest
from redis import Redis

from tests.services.model_api import GPT, KEY, ModelApi, Turn, final, serving
from tests.services.valkey import Valkey
from tests.toolaccord.demo.scout import AT_GATE, CRASHES, HANGS, WAITS, main
from tests.toolaccord.listener import listening
from tests.toolaccord.process import PATIENCE_S, Gate, Process, started

SCOUT = "tests.toolaccord.demo.scout"


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Send requests to loopback without the proxies of the environment."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture
def valkey(tmp_path: Path) -> Iterator[Valkey]:
    with Valkey(tmp_path).running() as running:
        yield running


def scouting(*arguments: str, valkey: Valkey, **environ: str) -> Any:
    """Run the agent."""
    return started(*arguments, module=SCOUT, environ={"REDIS_URL": valkey.url, **environ})


def at(gate: Gate) -> dict[str, str]:
    """Return the environment of an agent whose library has *gate*, and of calls with time."""
    (variable,) = (f"{name}={value}" for name, value in gate.environ.items())
    command = shlex.join(
        ["env", variable, "SHELF_URL=shelf://wall", sys.executable, "-m", "tests.toolaccord.demo.library"]
    )
    return {"LIBRARY_COMMAND": command, "SCOUT_TIMEOUT_MS": "60000"}


def run_scout(*arguments: str, environ: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """Return the agent that ended, run in this process; for what ends the start."""
    handlers = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)}
    out, err = StringIO(), StringIO()
    with (
        patch.dict(os.environ, environ or {}),
        patch.object(sys, "argv", [SCOUT, *arguments]),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        try:
            code: Any = main()
        except SystemExit as ended:
            code = ended.code
        finally:
            for number, handler in handlers.items():
                signal.signal(number, handler)
    return subprocess.CompletedProcess(arguments, code, out.getvalue(), err.getvalue())


def log_lines(process: Process) -> list[dict[str, Any]]:
    """Return the JSON lines of the log, of the agent and of servers that it started."""
    return [json.loads(line) for line in process.logged.splitlines() if line.startswith(b"{")]


def _listen(subscription: Any) -> Iterator[dict[str, Any]]:
    """Yield messages, each of which comes in time."""
    while message := subscription.get_message(timeout=PATIENCE_S):
        yield message
    pytest.fail("nothing was published in time")


@contextmanager
def listening_to(valkey: Valkey, *channels: str) -> Iterator[Iterator[tuple[str, Any]]]:
    """Yield an iterator over channels and events, subscribed."""
    client: Any = Redis(port=valkey.port, socket_timeout=PATIENCE_S)
    with client, client.pubsub() as subscription:
        subscription.subscribe(*channels)
        messages = _listen(subscription)
        for _ in channels:
            assert next(messages)["type"] == "subscribe"
        yield ((message["channel"].decode(), json.loads(message["data"])) for message in messages)


async def test_a_batch_goes_on_after_failures_and_publishes_findings_and_losses(valkey: Valkey) -> None:
    with listening_to(valkey, "findings", "losses") as received:
        async with scouting("7", "999", "no number", CRASHES, valkey=valkey) as agent:
            first, second = await agent.rest()
            assert await agent.exit_code() == 1, "fewer than half of each batch have a result"
        published = list(islice(received, 4))
    assert first["successful"] == [{"book": "7", "kind": "NOVEL", "title": "get 7", "confidence": 1.0}]
    assert [loss["book"] for loss in first["failed"]] == ["999", "no number"]
    assert first["failed"][0]["error_type"] == "BOOK_NOT_FOUND"
    assert first["failed"][1] == {
        "book": "no number",
        "error": "/book must match the pattern ^[0-9]{1,9}$",
        "error_type": "INVALID_PARAMETERS",
        "retries_attempted": 0,
    }
    assert first["success_rate"] == pytest.approx(1 / 3)
    assert (second["failed"][0]["error_type"], second["success_rate"]) == ("RuntimeError", 0)
    assert [event for channel, event in published if channel == "findings"] == first["successful"]
    losses = [event for channel, event in published if channel == "losses"]
    assert sorted(losses, key=str) == sorted([*first["failed"], *second["failed"]], key=str)


async def test_a_crash_tells_the_caller_nothing_and_the_log_everything(valkey: Valkey) -> None:
    async with scouting(CRASHES, valkey=valkey) as agent:
        (batch,) = await agent.rest()
        await agent.exit_code()
    assert batch["failed"][0]["error"] == "The agent failed to answer; its log has the reason."
    assert "the scout fell" in next(line["exception"] for line in log_lines(agent) if "exception" in line)


async def test_the_log_of_a_request_shares_its_correlation_id_with_the_servers(valkey: Valkey) -> None:
    async with scouting("7", "8", valkey=valkey) as agent:
        await agent.rest()
        assert await agent.exit_code() == 0
    lines = log_lines(agent)
    requests = {line["corr_id"]: line for line in lines if line["message"] == "request"}
    assert sorted(line["request"]["book"] for line in requests.values()) == ["7", "8"]
    for corr_id in requests:
        calls = [line["tool"] for line in lines if line["message"] == "call" and line["corr_id"] == corr_id]
        assert calls == ["get_book", "list_books"]


async def test_a_server_that_cannot_start_is_retried_and_makes_the_result_partial(valkey: Valkey) -> None:
    async with scouting(
        "7", "--metrics-port", "0", "--every", "86400", valkey=valkey, LIBRARY_COMMAND="false"
    ) as agent:
        batch = await agent.receive()
        metrics = await read_metrics(agent)
    (partial,) = batch["partial"]
    assert partial["finding"] == {"book": "7", "kind": "UNKNOWN", "confidence": 0.7, "is_vague": True}
    assert partial["missing_data"] == ["title", "shelf"]
    assert partial["confidence_penalty"] == 0.3
    assert batch["success_rate"] == 1
    for line in (
        'scout_agent_retry_total{attempt="1",tool="get_book"} 1.0',
        'scout_agent_retry_total{attempt="2",tool="list_books"} 1.0',
        'scout_agent_retry_exhausted_total{tool="get_book"} 1.0',
        'scout_agent_errors_total{type="ServerGone"} 2.0',
        "scout_agent_vague_total 1.0",
    ):
        assert line in metrics


async def test_a_slow_tool_leaves_time_for_an_answer_without_it(valkey: Valkey) -> None:
    async with scouting(WAITS, valkey=valkey, SCOUT_TIMEOUT_MS="6000") as agent:
        (batch,) = await agent.rest()
        assert await agent.exit_code() == 0
    (partial,) = batch["partial"]
    assert partial["missing_data"] == ["shelf"]
    assert partial["finding"]["title"] == "get 11"


async def test_a_handler_that_hangs_fails_at_the_deadline_and_publishes_a_loss(valkey: Valkey) -> None:
    with listening_to(valkey, "losses") as received:
        async with scouting(HANGS, valkey=valkey, SCOUT_TIMEOUT_MS="500") as agent:
            (batch,) = await agent.rest()
            assert await agent.exit_code() == 1
        (loss,) = batch["failed"]
        assert next(received) == ("losses", loss)
    assert (loss["error_type"], loss["error"]) == ("TIMEOUT", "There was no result within 500 ms.")


async def test_without_redis_the_results_are_written_and_a_stop_logs_the_events_that_nobody_received(
    valkey: Valkey,
) -> None:
    valkey.stop(signal.SIGKILL)
    async with scouting("7", "8", valkey=valkey, MCP_GRACE_S="0.2") as agent:
        batch = await agent.receive()
        agent.signal(signal.SIGTERM)
        assert await agent.exit_code() == 0
    assert [finding["book"] for finding in batch["deferred"]] == ["7", "8"]
    lost = [
        line for line in agent.logged.splitlines() if b"the process ends, and its event found was not published" in line
    ]
    assert len(lost) == 2


async def test_redis_that_comes_back_carries_the_next_round(valkey: Valkey) -> None:
    async with scouting("7", "--every", "0.2", valkey=valkey) as agent:
        assert (await agent.receive())["successful"]
        valkey.stop(signal.SIGKILL)
        while not (await agent.receive())["deferred"]:
            pass
        valkey.start()
        while not (await agent.receive())["successful"]:
            pass


async def test_a_server_over_http_is_called_with_the_token(valkey: Valkey) -> None:
    async with listening(environ={"MCP_AUTH_TOKEN": "the-right-token"}) as server:
        url = f"http://127.0.0.1:{server.port}/mcp"
        async with scouting("7", valkey=valkey, LIBRARY_URL=url, LIBRARY_TOKEN="the-right-token") as agent:
            (batch,) = await agent.rest()
            assert await agent.exit_code() == 0
        assert batch["successful"][0]["title"] == "get 7"
        async with scouting("7", valkey=valkey, LIBRARY_URL=url, LIBRARY_TOKEN="another-token") as agent:
            assert await agent.exit_code() == 1
        assert b"scout-agent: " in agent.logged
        assert b"token" in agent.logged
        assert b"another-token" not in agent.logged


async def test_a_server_killed_between_rounds_is_missed_and_comes_back(valkey: Valkey) -> None:
    async with listening() as server:
        url = f"http://127.0.0.1:{server.port}/mcp"
        async with scouting("7", "--every", "0.2", valkey=valkey, LIBRARY_URL=url) as agent:
            assert (await agent.receive())["successful"]
            server.process.signal(signal.SIGKILL)
            await server.process.exit_code()
            while not (batch := await agent.receive())["partial"]:
                pass
            assert batch["partial"][0]["missing_data"] == ["shelf"], "the title comes from the cache"
            async with listening("--port", str(server.port)):
                while not (await agent.receive())["successful"]:
                    pass


async def test_sigterm_lets_a_request_in_flight_finish_and_begins_no_other(valkey: Valkey, gate: Gate) -> None:
    async with scouting(AT_GATE, "7", "8", "9", "--every", "60", valkey=valkey, **at(gate)) as agent:
        await agent.log_has("at the gate")
        agent.signal(signal.SIGTERM)
        await agent.log_has("asked to stop")
        gate.open()
        batches = await agent.rest()
        assert await agent.exit_code() == 0
    found = [finding["book"] for batch in batches for finding in batch["successful"]]
    assert AT_GATE in found
    assert "9" not in found, "it is of the second batch"


async def test_a_second_sigint_abandons_the_request_in_flight(valkey: Valkey, gate: Gate) -> None:
    async with scouting(AT_GATE, valkey=valkey, **at(gate)) as agent:
        await agent.log_has("at the gate")
        agent.signal(signal.SIGINT)
        await agent.log_has("asked to stop")
        agent.signal(signal.SIGINT)
        assert await agent.rest() == []
        assert await agent.exit_code() == 0


async def test_sigterm_ends_the_agent_after_the_request_in_flight_while_a_server_hangs(valkey: Valkey) -> None:
    hangs = shlex.join(["sh", "-c", "echo the server hangs >&2; exec sleep 3600"])
    async with scouting("7", valkey=valkey, LIBRARY_COMMAND=hangs, SCOUT_TIMEOUT_MS="3000") as agent:
        await agent.log_has("the server hangs")
        agent.signal(signal.SIGTERM)
        (batch,) = await agent.rest()
        assert batch["partial"][0]["missing_data"] == ["title", "shelf"]
        assert await agent.exit_code() == 0


async def test_sigterm_ends_the_start_while_the_api_of_a_model_hangs(valkey: Valkey) -> None:
    with socket.create_server(("127.0.0.1", 0)) as api:
        url = f"http://127.0.0.1:{api.getsockname()[1]}/v1"
        async with scouting("7", valkey=valkey, SCOUT_MODEL=GPT, SCOUT_MODEL_URL=url, SCOUT_MODEL_KEY=KEY) as agent:
            connection, _ = await asyncio.to_thread(api.accept)
            with connection:
                agent.signal(signal.SIGTERM)
                assert await agent.rest() == []
                assert await agent.exit_code() == 0
    assert b"ended by force" not in agent.logged


async def test_an_agent_whose_results_nobody_takes_ends_with_a_sentence(valkey: Valkey) -> None:
    async with scouting("7", "--every", "0.2", valkey=valkey) as agent:
        await agent.receive()
        agent.close_output()
        assert await agent.exit_code() == 1
    assert agent.logged.endswith(b"\nscout-agent: standard output does not take results: Broken pipe\n")
    assert b"Traceback" not in agent.logged


async def test_every_metric_is_there_from_the_start(valkey: Valkey) -> None:
    async with scouting("7", "--every", "86400", "--metrics-port", "0", valkey=valkey) as agent:
        await agent.receive()
        metrics = await read_metrics(agent)
    for line in (
        'scout_agent_findings_total{kind="NOVEL"} 1.0',
        'scout_agent_confidence_bucket{le="1.0"} 1.0',
        "scout_agent_vague_total 0.0",
        'scout_agent_latency_ms_bucket{le="+Inf"} 1.0',
        'scout_agent_tool_calls_total{tool="get_book"} 1.0',
        'scout_agent_retry_total{attempt="2",tool="get_book"} 0.0',
        'scout_agent_retry_exhausted_total{tool="misbehave"} 0.0',
        'scout_agent_cache_miss_total{data_type="get_book"} 1.0',
        'scout_agent_cache_hit_total{data_type="get_book"} 0.0',
        "scout_agent_batch_success_rate 1.0",
    ):
        assert line in metrics


async def read_metrics(agent: Process) -> list[str]:
    await agent.log_has("metrics are at")
    found = re.search(rb"metrics are at (http://\S+/metrics)", agent.logged)
    assert found
    async with httpx.AsyncClient(trust_env=False, timeout=PATIENCE_S) as client:
        return (await client.get(found[1].decode())).text.splitlines()


async def test_a_metrics_port_in_use_ends_the_start(valkey: Valkey) -> None:
    async with scouting("7", "--metrics-port", str(valkey.port), valkey=valkey) as agent:
        assert await agent.exit_code() == 1
        assert f"cannot listen on 127.0.0.1 port {valkey.port}" in agent.logged.decode()


async def test_the_sandbox_replaces_the_servers_of_the_environment(valkey: Valkey) -> None:
    environ = {"LIBRARY_URL": "http://127.0.0.1:9/mcp", "SANDBOX_REDIS_URL": valkey.url, "LONGEST_TITLE": "3"}
    async with started(
        "7", "--sandbox", module=SCOUT, environ={"REDIS_URL": "redis://127.0.0.1:9", **environ}
    ) as agent:
        (batch,) = await agent.rest()
        assert await agent.exit_code() == 0
    assert batch["successful"][0]["title"] == "get 7"
    assert b"scout-agent: --sandbox ignores LONGEST_TITLE of the environment\n" in agent.logged
    assert b"sandbox stopped" in agent.logged, "the sandbox prints, and standard output is for results"


def count_connections(valkey: Valkey) -> int:
    """Return the connections that *valkey* has accepted, this one included."""
    with Redis.from_url(valkey.url) as client:
        return int(client.info("stats")["total_connections_received"])


async def test_a_source_that_the_sandbox_lacks_ends_the_start_before_the_real_one_is_used(valkey: Valkey) -> None:
    before = count_connections(valkey)
    async with scouting("7", "--sandbox", valkey=valkey) as agent:
        assert await agent.exit_code() == 1
    assert b"--sandbox never uses a real one:\n  REDIS_URL: where findings are published\n" in agent.logged
    assert count_connections(valkey) == before + 1, "only this test's"


async def test_all_takes_the_values_of_the_setting_once_each(valkey: Valkey) -> None:
    async with scouting("--all", valkey=valkey, SCOUT_BOOKS=" 7, 8,7 ,") as agent:
        (batch,) = await agent.rest()
    assert [finding["book"] for finding in batch["successful"]] == ["7", "8"]


async def test_the_log_of_the_agent_and_of_its_server_goes_to_the_log_file(valkey: Valkey, tmp_path: Path) -> None:
    path = tmp_path / "agent.log"
    async with scouting("7", "--log-file", str(path), valkey=valkey) as agent:
        await agent.exit_code()
    messages = [json.loads(line)["message"] for line in path.read_text(encoding="utf-8").splitlines()]
    assert {"request", "call", "batch"} <= set(messages)
    assert agent.logged == b""


def model_at(api: ModelApi, name: str = GPT) -> dict[str, str]:
    """Return the environment of an agent with the model *name*."""
    return {"SCOUT_MODEL": name, "SCOUT_MODEL_URL": api.url, "SCOUT_MODEL_KEY": KEY}


async def test_a_model_calls_a_tool_of_the_real_server_and_writes_a_title(valkey: Valkey) -> None:
    looks_up = Turn(calls=(("get_book", {"id": 8}),))
    with serving(ModelApi([looks_up, final(title="Eight, not seven")])) as api:
        async with scouting("7", valkey=valkey, **model_at(api)) as agent:
            (batch,) = await agent.rest()
            assert await agent.exit_code() == 0
    assert batch["successful"][0]["title"] == "Eight, not seven"
    assert json.loads(api.requests[1]["messages"][-1]["content"])["title"] == "get 8"
    lines = log_lines(agent)
    (request,) = (line for line in lines if line["message"] == "request")
    calls = [line["tool"] for line in lines if line["message"] == "call" and line["corr_id"] == request["corr_id"]]
    assert calls == ["get_book", "get_book", "list_books"]
    assert KEY.encode() not in agent.logged


async def test_an_agent_loads_no_library_of_what_it_does_not_use(valkey: Valkey) -> None:
    async with scouting("7", valkey=valkey, PYTHONPROFILEIMPORTTIME="1") as agent:
        await agent.rest()
        assert await agent.exit_code() == 0
    loaded = {line.rpartition("|")[2].strip() for line in agent.logged.decode().splitlines() if "import time:" in line}
    assert "toolaccord.agent.model.opening" in loaded
    of_models, of_a2a = {"pydantic_ai", "openai"}, {"a2a", "google.protobuf"}
    of_queues = {"nats", "toolaccord.agent.queue.mode", "toolaccord.sources.nats.client"}
    assert not loaded & (of_models | of_a2a | of_queues)


def test_all_missing_settings_are_named_and_the_exit_code_is_two() -> None:
    ended = run_scout("7", environ={"REDIS_URL": "", "BUS_TIMEOUT_S": "soon"})
    assert ended.returncode == 2
    assert "REDIS_URL is required and not set: where findings are published" in ended.stderr
    assert "BUS_TIMEOUT_S must be a number" in ended.stderr
    assert "Or try the agent with --sandbox" in ended.stderr


@pytest.mark.parametrize(
    "environ, sentence",
    [
        ({"LIBRARY_URL": "library"}, "LIBRARY_URL must be a URL that begins with http:// or https:// (it is 'library')"),
        ({"LIBRARY_COMMAND": "library '"}, "LIBRARY_COMMAND is no command of a shell (no closing quotation)"),
        ({"LIBRARY_COMMAND": " "}, "LIBRARY_COMMAND is no command of a shell (it names no program)"),
        ({"LIBRARY_COMMAND": "''"}, "LIBRARY_COMMAND is no command of a shell (it names no program)"),
        ({"SHELF_URL": ""}, "SHELF_URL is required and not set: the agent starts the server library, which needs it; or set LIBRARY_URL"),
    ],
)  # fmt: skip
def test_a_server_that_could_never_be_reached_ends_the_start(environ: Mapping[str, str], sentence: str) -> None:
    ended = run_scout("7", environ={"REDIS_URL": "redis://127.0.0.1:9", "SHELF_URL": "shelf://wall", **environ})
    assert (ended.returncode, sentence in ended.stderr) == (2, True), ended.stderr


@pytest.mark.parametrize(
    "variable, value, sentence",
    [
        ("SCOUT_MODEL_KEY", f"{KEY}\n", "SCOUT_MODEL_KEY has a space, a line break or a character that no token has"),
        ("SCOUT_MODEL_KEY", "ключ", "SCOUT_MODEL_KEY has a space, a line break or a character that no token has"),
        ("SCOUT_MODEL_URL", "http://127.0.0.1:99999/v1", "SCOUT_MODEL_URL must"),
    ],
)
def test_an_unusable_setting_of_the_model_is_named(variable: str, value: str, sentence: str) -> None:
    ended = run_scout("7", "--sandbox", environ={"SANDBOX_REDIS_URL": "redis://127.0.0.1:9", variable: value})
    assert (ended.returncode, sentence in ended.stderr) == (2, True), ended.stderr
    assert KEY not in ended.stderr


@pytest.mark.parametrize("token", [f"{KEY}\n{KEY}", f"{KEY} ", "ключ"])
def test_a_token_that_fits_into_no_header_is_named_and_never_shown(token: str) -> None:
    environ = {"REDIS_URL": "redis://127.0.0.1:9", "LIBRARY_URL": "http://127.0.0.1:9/mcp", "LIBRARY_TOKEN": token}
    ended = run_scout("7", environ=environ)
    assert (ended.returncode, "LIBRARY_TOKEN has a space, a line break" in ended.stderr) == (2, True), ended.stderr
    assert KEY not in ended.stderr


CREDENTIALS = {"LIBRARY_ISSUER": "https://id.example", "LIBRARY_CLIENT_ID": "scout", "LIBRARY_CLIENT_SECRET": KEY}


@pytest.mark.parametrize(
    "changed, sentence",
    [
        ({"LIBRARY_ISSUER": ""}, "LIBRARY_CLIENT_SECRET: these settings are set together, or none of them."),
        ({"LIBRARY_CLIENT_ID": ""}, "LIBRARY_CLIENT_SECRET: these settings are set together, or none of them."),
        ({"LIBRARY_CLIENT_SECRET": ""}, "LIBRARY_CLIENT_SECRET: these settings are set together, or none of them."),
        ({"LIBRARY_ISSUER": "http://id.example"}, "the issuer of client credentials is no https URL"),
        ({"LIBRARY_TOKEN": "t"}, "LIBRARY_TOKEN and credentials for library are set; set one of them."),
    ],
)
def test_credentials_that_cannot_be_used_are_named_and_never_shown(changed: Mapping[str, str], sentence: str) -> None:
    environ = {"REDIS_URL": "redis://127.0.0.1:9", "LIBRARY_URL": "http://127.0.0.1:9/mcp", **CREDENTIALS, **changed}
    ended = run_scout("7", environ=environ)
    assert (ended.returncode, sentence in ended.stderr) == (2, True), ended.stderr
    assert KEY not in ended.stderr


@pytest.mark.parametrize("books", ["", " , "])
def test_all_without_values_names_the_setting(books: str) -> None:
    ended = run_scout("--all", environ={"REDIS_URL": "redis://127.0.0.1:9", "SCOUT_BOOKS": books})
    assert ended.returncode == 2
    assert "scout-agent: --all needs a value in SCOUT_BOOKS: numbers of books" in ended.stderr


@pytest.mark.parametrize(
    "arguments, message",
    [
        ([], "give a BOOK, or --all"),
        (["7", "--all"], "give a BOOK or --all, and not both"),
        (["7", "--every", "0"], "argument --every: invalid number of seconds value: '0'"),
        (["7", "--every", "nan"], "argument --every: invalid number of seconds value: 'nan'"),
        (["7", "--every", "1e-300"], "argument --every: invalid number of seconds value: '1e-300'"),
        (["7", "--every", "1e300"], "argument --every: invalid number of seconds value: '1e300'"),
        (["--queue", "7"], "--queue takes requests from the queue alone"),
        (["--queue", "--all"], "--queue takes requests from the queue alone"),
        (["--queue", "--every", "1"], "--queue takes requests from the queue alone"),
        (["--enqueue"], "give a BOOK, or --all"),
        (["--queue", "--enqueue"], "give a BOOK, or --all"),
        (["7", "--port", "9000"], "--port is for --a2a"),
        (["7", "--public-url", "http://scout.example"], "--public-url is for --a2a"),
        (
            ["7", "--metrics-port", "65536"],
            "argument --metrics-port: '65536' is no port; a port is a number from 0 to 65535",
        ),
    ],
)
def test_an_invalid_command_line_is_explained(arguments: list[str], message: str) -> None:
    ended = run_scout(*arguments)
    assert (ended.returncode, message in ended.stderr) == (2, True), ended.stderr


def test_help_teaches_examples_output_exit_codes_and_settings() -> None:
    text = run_scout("--help").stdout
    for part in (
        "scout-agent --every 60 7 8", "BOOK", "Number of the book", "take every book of SCOUT_BOOKS",
        "Exit code: 0", "REDIS_URL (required, secret)", "SCOUT_SHELF (default A)",
        "BUS_TIMEOUT_S (default 1", "MCP_GRACE_S (default 10)", "A server that the agent starts also gets:", "SHELF_URL",
    ):  # fmt: skip
        assert part in text
    assert run_scout("--version").stdout == "scout-agent 1.0.0\n"
