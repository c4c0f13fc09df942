"""Prove that each method of swimmy-mcp answers each fault in time, and works afterwards.

An answer UNAVAILABLE is in time: a call that reaches its deadline answers TIMEOUT.
"""

import json
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
import zmq

from sandbox.guardian import BACKTEST_STATUS, METRICS, STATUS
from sandbox.guardian.requests import find_request_id
from tests.servers.gateway import PATIENCE_S, SUBMIT, Client, bound_bus, running_gateway
from tests.services import guardian as guardian_service
from tests.services.guardian import GuardianServer
from tests.services.served import free_port

RESULT, UNAVAILABLE, TRADE_DISABLED = "result", "UNAVAILABLE", "TRADE_DISABLED"
STRATEGY = {"name": "Cross-1", "sma_short": 10, "sma_long": 30, "sl": 0.5, "tp": 1, "volume": 0.01}
BACKTEST: dict[str, Any] = {"strategy": STRATEGY, "symbol": "USDJPY", "data_id": "USDJPY_M1"}
CALLS: Mapping[str, dict[str, Any]] = {
    "health.ping": {},
    "system.status": {},
    "system.metrics": {},
    "backtest.submit": BACKTEST,
    "backtest.status": {},
    "trade.submit": {"symbol": "USDJPY"},
}
"""Every method, with arguments that it accepts."""
USUAL = dict.fromkeys(CALLS, RESULT) | {"trade.submit": TRADE_DISABLED}
MAX_FILE_BYTES = 65_536


def call(client: Client, method: str, arguments: dict[str, Any]) -> dict[str, Any]:
    return client.call(method, json.dumps(arguments))


def kind(answer: dict[str, Any]) -> str:
    """Return the code of an answer; `result` for a success."""
    code: str = answer["error"]["data"]["code"] if "error" in answer else RESULT
    return code


def call_all(client: Client) -> dict[str, str]:
    """Call each method, and return the kinds of the answers."""
    return {method: kind(call(client, method, arguments)) for method, arguments in CALLS.items()}


def environ(endpoint: str, folder: Path, results_endpoint: str = "") -> dict[str, str]:
    return {
        "SWIMMY_MCP_ZMQ_ENDPOINT": endpoint,
        "SWIMMY_MCP_RESULTS_ENDPOINT": results_endpoint,
        "SWIMMY_STATUS_FILE": str(folder / STATUS),
        "SWIMMY_BACKTEST_STATUS_FILE": str(folder / BACKTEST_STATUS),
        "SWIMMY_METRICS_FILE": str(folder / METRICS),
    }


@pytest.fixture
def peer(tmp_path: Path) -> Iterator[GuardianServer]:
    with guardian_service.running(tmp_path) as server:
        yield server


def connected(peer: GuardianServer) -> AbstractContextManager[Client]:
    """Run a gateway beside a Guardian."""
    guardian = peer.guardian
    given = environ(guardian.endpoint, guardian.folder, guardian.results_endpoint)
    return running_gateway("content-length", given)


def wait_for_result(client: Client, request_id: str, before: str = "pending") -> dict[str, Any]:
    """Return the status of a backtest once it has ended; fail after PATIENCE_S.

    Its state *before* is `unknown` if another process submitted it.
    """
    end = time.monotonic() + PATIENCE_S
    while (status := call(client, "backtest.status", {"request_id": request_id}))["state"] == before:
        assert kind(status) == RESULT
        assert time.monotonic() < end, f"the backtest {request_id} is still {before}"
    return status


def submit_again(client: Client, request_id: str) -> dict[str, Any]:
    """Submit a backtest, again while nobody receives it, and return the answer."""
    while kind(answer := call(client, SUBMIT, BACKTEST | {"request_id": request_id})) == UNAVAILABLE:
        pass
    return answer


def settle(client: Client, request_id: str) -> None:
    """Submit a backtest until its result arrives.

    A result from before the connection to its socket is lost.
    """
    while call(client, "backtest.status", {"request_id": request_id})["state"] in {"unknown", "pending"}:
        assert kind(submit_again(client, request_id)) == RESULT


# --- the Guardian ----------------------------------------------------------------------------------------------------


def test_a_guardian_that_is_absent_fails_submissions_alone_and_is_found_when_it_starts(tmp_path: Path) -> None:
    endpoint, results = (f"tcp://127.0.0.1:{free_port()}" for _ in range(2))
    server = GuardianServer(tmp_path, endpoint, results)
    with running_gateway("content-length", environ(endpoint, tmp_path, results)) as client:
        assert call_all(client) == USUAL | {SUBMIT: UNAVAILABLE}
        server.start()
        try:
            settle(client, "r1")
            assert call_all(client) == USUAL
        finally:
            server.stop()


def test_a_guardian_that_ends_fails_submissions_alone_and_is_found_again(peer: GuardianServer) -> None:
    with connected(peer) as client:
        settle(client, "before")
        assert call_all(client) == USUAL
        peer.stop()
        while kind(call(client, SUBMIT, BACKTEST)) == RESULT:  # until the loss of the connection is known
            pass
        assert call_all(client) == USUAL | {SUBMIT: UNAVAILABLE}
        count = len(peer.guardian.received())
        peer.start()
        settle(client, "after")
        assert call_all(client) == USUAL
    assert '"after"' in peer.guardian.received()[count]["message"], "no rejected backtest is sent later"


def test_a_guardian_that_restarts_between_two_calls_is_found_again(peer: GuardianServer) -> None:
    with connected(peer) as client:
        settle(client, "before")
        peer.stop()
        peer.start()
        settle(client, "after")
        assert call_all(client) == USUAL


def test_a_frozen_guardian_delays_results_and_nothing_else(peer: GuardianServer) -> None:
    with connected(peer) as client:
        settle(client, "before")
        with peer.frozen():
            assert call_all(client) == USUAL
            assert kind(call(client, SUBMIT, BACKTEST | {"request_id": "r1"})) == RESULT
            assert call(client, "backtest.status", {"request_id": "r1"})["state"] == "pending"
        assert wait_for_result(client, "r1")["state"] == "done"


def test_a_slow_guardian_gets_backtests_in_order_and_further_ones_are_rejected(tmp_path: Path) -> None:
    candles = [{"t": 60 * place, "o": 1, "h": 1, "l": 1, "c": 1} for place in range(200)]
    with (
        bound_bus(capacity=1) as bus,
        running_gateway("content-length", environ(bus.endpoint, tmp_path)) as client,
    ):
        submit_again(client, "first")
        assert find_request_id(bus.receive()) == "first"
        accepted = []
        with bus.paused():
            while kind(answer := call(client, SUBMIT, {"strategy": STRATEGY, "candles": candles})) == RESULT:
                accepted.append(answer["request_id"])
            assert kind(answer) == UNAVAILABLE
            assert call_all(client) == USUAL | {SUBMIT: UNAVAILABLE}
        assert kind(submit_again(client, "last")) == RESULT
        received = list(iter(lambda: find_request_id(bus.receive()), "last"))
    # On a slow machine the connection is lost first, after 10 s without a sign of life, and its queue with it.
    assert received == accepted[: len(received)]


def result(*members: str) -> bytes:
    """Return a message with the result of the backtest r1."""
    return f'((type . "BACKTEST_RESULT") (result . ((request_id . "r1") {" ".join(members)})))'.encode()


HOSTILE_RESULTS = [
    b'(request_id . "r1")', b'request_id "r1"', b'\xff(request_id . "r1")', b'"(request_id . \\"r1\\")"', b'((((request_id . "r1"', result()[:-1],
    b"(" * 30_000 + b'(request_id . "r1")', b'((request_id . "r1"))' * 2000, result(f'(note . "{"x" * 70_000}")'),
    result("(sharpe . nan)", "(profit_factor . +inf.0)", "(trades . 1e400)"), result("(trades . (1 (2)))", "(max_dd . #t)"),
    result('(mode . "latest")', '(state . "done")', '(request_id . "r2")'), result("(error . (1 . 2))"), result("(error . #f)"),
    result("(swimmy::sharpe . 1)", "(sharpe . 2)"), result("(a . " + "1" * 5000 + ")"), b'((type . "BACKTEST_RESULT") (request_id . "r1") (result . 5))',
]  # fmt: skip
"""Messages about the backtest r1 that are no usual results of it."""


@pytest.mark.parametrize("transport", ["content-length", "stdio", "http"])
def test_a_gateway_receives_results_before_its_first_call(transport: str, tmp_path: Path) -> None:
    with zmq.Context() as context, context.socket(zmq.XPUB) as results:
        results.linger, results.rcvtimeo = 0, 1000 * PATIENCE_S
        endpoint = f"tcp://127.0.0.1:{results.bind_to_random_port('tcp://127.0.0.1')}"
        with running_gateway(transport, environ("tcp://127.0.0.1:9", tmp_path, endpoint)):
            assert results.recv() == b"\x01"


def test_no_message_at_the_results_endpoint_fails_a_call(tmp_path: Path) -> None:
    with zmq.Context() as context, context.socket(zmq.XPUB) as results:
        results.linger, results.rcvtimeo = 0, 1000 * PATIENCE_S
        endpoint = f"tcp://127.0.0.1:{results.bind_to_random_port('tcp://127.0.0.1')}"
        with running_gateway("content-length", environ("tcp://127.0.0.1:9", tmp_path, endpoint)) as client:
            assert results.recv() == b"\x01"
            for place, message in enumerate(HOSTILE_RESULTS):
                results.send(message.replace(b'"r1"', b'"r%d"' % place))
            results.send(result().replace(b"r1", b"last"))
            assert wait_for_result(client, "last", before="unknown")["state"] == "done"
            for place, message in enumerate(HOSTILE_RESULTS):
                status = call(client, "backtest.status", {"request_id": f"r{place}"})
                found = (kind(status), status.get("mode"), status.get("request_id"))
                assert found == (RESULT, "request", f"r{place}"), message


# --- files -----------------------------------------------------------------------------------------------------------

STATUS_TEXT = "TIME: 2026-11-22 23:15:00\nTICKS: 12\nEQUITY: 100000.00\n"
BACKTEST_TEXT = "timestamp: 4004378746\ncount: 8\nlast_name: t\nlast_sharpe: -15.0592\n"
METRICS_TEXT = "((swimmy.school::schema_version . 1) (swimmy.school::heap_used_mb . 384.25))"
TEXTS = {STATUS: STATUS_TEXT, BACKTEST_STATUS: BACKTEST_TEXT, METRICS: METRICS_TEXT}
SWIMMY = {"time": "2026-11-22 23:15:00", "ticks": "12", "equity": "100000.00"}
METRICS_READ = {"schema_version": 1, "heap_used_mb": 384.25}
LATEST = {"timestamp": "2026-11-22T23:25:46Z", "count": "8", "last_name": "t", "last_sharpe": "-15.0592"}


def write_files(folder: Path) -> None:
    """Write all files as they usually are, in place of anything else."""
    for name, text in TEXTS.items():
        remove(folder / name)
        (folder / name).write_text(text, encoding="utf-8")


def remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        path.rmdir()
    else:
        path.unlink(missing_ok=True)


def read_files(client: Client) -> tuple[Any, Any, Any]:
    """Return the content of the files, as three methods report it alike."""
    status = call(client, "system.status", {})
    latest = call(client, "backtest.status", {})
    assert latest == status["backtest"] | {"mode": "latest"}
    return status["swimmy"], status["backtest"], call(client, "system.metrics", {})


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("files")


@pytest.fixture(scope="module")
def reader(folder: Path) -> Iterator[Client]:
    with running_gateway("content-length", environ("tcp://127.0.0.1:9", folder)) as client:
        yield client


def make_unreadable(path: Path) -> None:
    path.touch()
    path.chmod(0)


def make_sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 40)


BROKEN: Mapping[str, Callable[[Path], object]] = {
    "missing": lambda _path: None,
    "a folder": Path.mkdir,
    "a FIFO without a writer": os.mkfifo,
    "a device": lambda path: path.symlink_to("/dev/zero"),
    "a loop of links": lambda path: path.symlink_to(path),
    "below a file": lambda path: path.symlink_to("/dev/null/x"),
    "empty": Path.touch,
    "without permission": make_unreadable,
    "too large": lambda path: path.write_text(TEXTS[path.name] + "\n" * MAX_FILE_BYTES, encoding="utf-8"),
    "a terabyte": make_sparse,
}


@pytest.mark.parametrize("fault", BROKEN)
def test_a_file_that_cannot_be_read_is_answered_as_empty_until_it_can(reader: Client, folder: Path, fault: str) -> None:
    if fault == "without permission" and os.geteuid() == 0:
        pytest.skip("root reads every file")
    for name in TEXTS:
        remove(folder / name)
        BROKEN[fault](folder / name)
    assert read_files(reader) == ({}, {}, {})
    write_files(folder)
    assert read_files(reader) == (SWIMMY, LATEST, METRICS_READ)


def test_half_a_file_has_no_wrong_value(reader: Client, folder: Path) -> None:
    for length in range(max(map(len, TEXTS.values()))):
        for name, text in TEXTS.items():
            (folder / name).write_text(text[:length], encoding="utf-8")
        swimmy, backtest, metrics = read_files(reader)
        assert swimmy.items() <= SWIMMY.items()
        assert backtest.items() <= LATEST.items()
        assert metrics in ({}, METRICS_READ)


def test_a_file_that_is_written_all_the_time_has_no_wrong_value(reader: Client, folder: Path) -> None:
    values, has_begun, is_done = {"111111", "2222222", "33333333"}, threading.Event(), threading.Event()

    def write() -> None:
        (folder / STATUS).write_bytes(b"")
        has_begun.set()
        while not is_done.is_set():
            for value in values:
                with (folder / STATUS).open("w", encoding="utf-8") as file:
                    for part in (f"TICKS: {value[:3]}", value[3:], f"\nEQUITY: {value}", "\n"):
                        file.write(part)
                        file.flush()

    writer = threading.Thread(target=write)
    writer.start()
    has_begun.wait()
    try:
        answers = [call(reader, "system.status", {})["swimmy"] for _ in range(300)]
    finally:
        is_done.set()
        writer.join()
    assert {value for answer in answers for value in answer.values()} <= values
    write_files(folder)
    assert read_files(reader) == (SWIMMY, LATEST, METRICS_READ)


@pytest.mark.parametrize(
    "content",
    [
        b"\xff\xfe\x00", b"\x00" * 1000, b"(" * 60_000, b"()" * 30_000, b'"a', b"((a . 1e400))", b"((a . nan))", b"((a . +inf.0))",
        b"((timestamp . 99999999999999999999999))", b"((timestamp . -1))", b"timestamp: 99999999999999999999999\n", b"(1 . 2)", b"nil",
        b"((a . 1) (a . 2))", b"((timestamp . (1 2)))", b": \n:\n::\n", b"a: \xff\n", b"mode: x\nrequest_id: y\nstate: z\n", b"\xef\xbb\xbf",
        b"((schema_version . ((a . 1))))", b"#(1 2)", b"'(quote a)", b"#.(run-program)", b"((a . #.(quit)))",
    ],
)  # fmt: skip
def test_no_content_of_a_file_fails_a_call(reader: Client, folder: Path, content: bytes) -> None:
    for name in TEXTS:
        (folder / name).write_bytes(content)
    for method in ("system.status", "system.metrics", "backtest.status"):
        assert kind(call(reader, method, {})) == RESULT
    write_files(folder)
    assert read_files(reader) == (SWIMMY, LATEST, METRICS_READ)


# --- the log ---------------------------------------------------------------------------------------------------------


def test_a_full_disk_costs_lines_of_the_log_and_no_call(peer: GuardianServer, tmp_path: Path) -> None:
    guardian, log = peer.guardian, tmp_path / "log"
    log.symlink_to("/dev/full")
    given = environ(guardian.endpoint, tmp_path, guardian.results_endpoint)
    with running_gateway("content-length", given, "--log-file", str(log)) as client:
        settle(client, "r1")
        for _ in range(100):
            assert call_all(client) == USUAL
        log.unlink()
        log.touch()
        while not (written := log.read_text(encoding="utf-8").splitlines()):
            assert call_all(client) == USUAL
        assert all(isinstance(json.loads(line), dict) for line in written)
