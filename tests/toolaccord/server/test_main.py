import json
import os
import shlex
import signal
import subprocess
import sys

import pytest

from tests.toolaccord.demo import library
from tests.toolaccord.process import PATIENCE_S, ROOT, call, data, started
from toolaccord.server import cli


async def test_all_missing_settings_are_named_and_the_exit_code_is_two() -> None:
    async with started(environ={"SHELF_URL": "", "LONGEST_TITLE": "none"}) as server:
        assert await server.exit_code() == 2
        assert await server.rest() == []
        message = server.logged.decode()
        assert "SHELF_URL is required and not set: where the shelf stands" in message
        assert "LONGEST_TITLE must be an integer (it is 'none'): characters of a title that are given" in message


def test_an_invalid_endpoint_of_zeromq_ends_the_start() -> None:
    environ = {
        **os.environ,
        "SWIMMY_MCP_ZMQ_ENDPOINT": "tcp://*:5559",
        "SWIMMY_MCP_RESULTS_ENDPOINT": "inproc://results",
    }
    command = [sys.executable, "-m", "generated.gateway.swimmy"]
    ended = subprocess.run(
        command, env=environ, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )
    assert ended.returncode == 2
    assert "SWIMMY_MCP_ZMQ_ENDPOINT must have one host and one port" in ended.stderr
    assert "SWIMMY_MCP_RESULTS_ENDPOINT must be a URL that begins with tcp:// or ipc://" in ended.stderr


@pytest.mark.parametrize("flag", ["--port", "--metrics-port"])
@pytest.mark.parametrize("text", ["99999", "-1", "x", "٣", "1" * 5000])
def test_a_wrong_port_is_explained(flag: str, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.parse_arguments(library.server(library.Librarian()), [f"{flag}={text}"], has_sandbox=False)
    assert ended.value.code == 2
    assert capsys.readouterr().err.endswith(f"{text!r} is no port; a port is a number from 0 to 65535\n")


async def test_an_unknown_open_path_ends_the_start() -> None:
    for given, fault in (("/foo", "there is no route '/foo' to open"), ("none,/docs", "none stands alone")):
        async with started("--transport", "http", "--port", "0", environ={"MCP_OPEN_PATHS": given}) as server:
            assert await server.exit_code() == 2
            known = (
                "the paths that can be open are /health, /ready, /metrics, /docs, /openapi.json, and none closes them"
            )
            assert f"library-mcp: MCP_OPEN_PATHS: {fault}; {known}.\n" in server.logged.decode()


def test_a_person_at_a_terminal_learns_what_the_server_waits_for() -> None:
    ours, terminal = os.openpty()
    os.write(ours, b"\x04")
    command = [sys.executable, "-m", "tests.toolaccord.demo.library"]
    environ = {**os.environ, "SHELF_URL": "http://127.0.0.1:1"}
    ended = subprocess.run(
        command,
        cwd=ROOT,
        env=environ,
        stdin=terminal,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=True,
    )
    os.close(ours)
    os.close(terminal)
    assert ended.stderr.splitlines()[:3] == [
        "library-mcp waits on standard input for MCP messages, one a line.",
        "Ctrl-D ends it. Try `toolaccord call library-mcp.list_books`,",
        "or serve HTTP with --transport http.",
    ]


async def test_a_host_is_told_nothing_of_a_terminal() -> None:
    async with started() as server:
        await server.shake_hands()
        assert b"waits on standard input" not in server.logged


async def test_a_setting_reaches_the_handlers() -> None:
    async with started(environ={"LONGEST_TITLE": "3"}) as server:
        await server.shake_hands()
        await server.send(call(1, "get_book", id=7))
        assert data(await server.receive()) == {"id": 7, "title": "get"}


def run_server(*arguments: str, module: str = "tests.toolaccord.demo.library") -> str:
    """Return the output of a server without settings."""
    command = [sys.executable, "-m", module, *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=PATIENCE_S)
    assert done.stderr == ""
    return done.stdout


def test_help_lists_every_setting_and_needs_none() -> None:
    text = run_server("--help")
    assert "SHELF_URL (required, secret)\n      where the shelf stands" in text
    assert "LONGEST_TITLE (default 80)\n      characters of a title that are given" in text
    assert "--sandbox" in text


def test_help_says_on_which_transports_a_key_is_required() -> None:
    text = run_server("--help", module="tests.toolaccord.demo.relay")
    assert "RELAY_KEY (required over http and content-length, secret)\n      key that callers send" in text
    assert "RELAY_STATION (default north)" in text


def test_the_version_is_that_of_the_contract() -> None:
    assert run_server("--version") == "library-mcp 1.2.3\n"


async def test_the_sandbox_sets_settings_and_is_stopped_at_the_end() -> None:
    async with started("--sandbox", environ={"SHELF_URL": "own", "LONGEST_TITLE": "3"}) as server:
        await server.shake_hands()
        await server.send(call(1, "get_book", id=7))
        assert data(await server.receive()) == {"id": 7, "title": "get"}
        server.signal(signal.SIGTERM)
        assert await server.exit_code() == 0
        for text in (b"sandbox for LONGEST_TITLE SHELF_URL", b"shelf closed: ***", b"sandbox stopped"):
            assert text in server.logged


async def test_a_sandbox_that_does_not_start_is_reported_in_a_sentence() -> None:
    async with started("--sandbox", environ={"LIBRARY_SANDBOX": "no.such.module"}) as server:
        assert await server.exit_code() == 1
        assert b"library-mcp: the sandbox did not start: No module named 'no'" in server.logged
        assert b"Traceback" not in server.logged


async def test_the_error_for_missing_settings_offers_the_sandbox() -> None:
    async with started(environ={"SHELF_URL": ""}) as server:
        assert await server.exit_code() == 2
        assert b"--sandbox" in server.logged


async def test_every_log_line_is_json_with_its_correlation_id() -> None:
    async with started() as server:
        await server.shake_hands()
        request = call(1, "get_book", id=7)
        request["params"]["_meta"] = {"corr_id": "abc-1"}
        await server.send(request)
        await server.receive()
        server.close_input()
        await server.exit_code()
        lines = [json.loads(line) for line in server.logged.splitlines()]
        (entry,) = [line for line in lines if line["message"] == "call"]
        assert (entry["corr_id"], entry["tool"], entry["status"], entry["level"]) == (
            "abc-1",
            "get_book",
            "success",
            "INFO",
        )
        assert {"timestamp", "duration_ms", "input_size_bytes", "output_size_bytes"} <= set(entry)


async def test_the_level_of_the_log_can_be_chosen() -> None:
    async with started("--log-level", "error") as server:
        await server.shake_hands()
        await server.send(call(1, "get_book", id=7))
        await server.receive()
        server.close_input()
        assert await server.exit_code() == 0
        assert server.logged == b""


async def test_a_host_that_never_reads_the_log_is_answered() -> None:
    log, stderr = os.pipe()
    async with started(stderr=stderr) as server:
        os.close(stderr)
        await server.shake_hands()
        for batch in range(20):
            ids = range(batch * 100, batch * 100 + 100)
            await server.send(*(call(number, "get_book", id=7) for number in ids))
            await server.receive_all(*ids)
        server.close_input()
        assert await server.exit_code() == 0
    with open(log, "rb") as unread:  # noqa: ASYNC230, PTH123 - a pipe that has ended does not block
        whole = [json.loads(line) for line in unread.read().splitlines()[:-1]]
    assert 100 < len(whole) < 2000


def test_a_stdio_server_loads_nothing_for_http_or_metrics() -> None:
    command = [sys.executable, "-X", "importtime", "-m", "tests.toolaccord.demo.library"]
    environ = os.environ | {"SHELF_URL": "shelf"}
    request = json.dumps(call(1, "get_book", id=7)) + "\n"
    done = subprocess.run(
        command, cwd=ROOT, env=environ, input=request, capture_output=True, text=True, check=True, timeout=PATIENCE_S
    )
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if line.startswith("import time:")}
    assert "toolaccord.transports.stdio.server" in loaded
    unwanted = ("toolaccord.transports.http", "toolaccord.telemetry.metrics", "prometheus_client", "opentelemetry.sdk")
    assert [name for name in loaded if name.startswith(unwanted)] == []


def shell(redirections: str, request: str = "", *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the library server by a shell with *redirections*."""
    command = shlex.join([sys.executable, "-m", "tests.toolaccord.demo.library", *arguments])
    environ = os.environ | {"SHELF_URL": "shelf"}
    return subprocess.run(
        ["sh", "-c", f"exec {command} {redirections}"],
        cwd=ROOT,
        env=environ,
        input=request,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )


@pytest.mark.parametrize("redirections,name", [("<&-", "input"), (">&-", "output")])
def test_a_closed_standard_stream_is_reported_in_a_sentence(redirections: str, name: str) -> None:
    done = shell(redirections)
    assert done.returncode == 1
    assert done.stderr.startswith(f"library-mcp: standard {name} is closed")
    assert done.stderr.count("\n") == 1


def test_calls_are_answered_with_standard_error_closed() -> None:
    request = json.dumps(call(1, "get_book", id=7)) + "\n"
    done = shell("2>&-", request)
    assert done.returncode == 0
    (answer,) = done.stdout.splitlines()
    assert json.loads(answer)["id"] == 1


def test_with_all_standard_streams_closed_the_exit_code_is_one() -> None:
    assert shell("<&- >&- 2>&-").returncode == 1


BACKTESTS = {
    "BACKTESTER_TARGET": "127.0.0.1:1",
    "DATABASE_URL": "postgresql://127.0.0.1:1/market",
    "INFLUXDB_URL": "http://127.0.0.1:1",
}
"""Settings of backtest-mcp, without the optional address of a store of tasks."""


def test_a_process_that_takes_tasks_needs_the_address_of_their_store() -> None:
    command = [sys.executable, "-m", "generated.tradestream.backtest", "--work"]
    environ = {**os.environ, **BACKTESTS}
    ended = subprocess.run(
        command, env=environ, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )
    assert ended.returncode == 2
    assert ended.stderr.startswith("backtest-mcp: --work: the address of the store of tasks is empty")


def test_a_server_that_keeps_tasks_in_memory_loads_no_worker_before_the_first_one() -> None:
    command = [sys.executable, "-X", "importtime", "-m", "generated.tradestream.backtest"]
    environ = {**os.environ, **BACKTESTS}
    request = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}) + "\n"
    done = subprocess.run(
        command, cwd=ROOT, env=environ, input=request, capture_output=True, text=True, check=True, timeout=PATIENCE_S
    )
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if line.startswith("import time:")}
    assert "toolaccord.tasks.memory_store" in loaded
    assert not loaded & {"toolaccord.tasks.worker", "toolaccord.deferral.tool_runner"}
