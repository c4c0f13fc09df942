"""Each fault of the stand-in, as a client meets it, and the ways to have it."""

import contextlib
import gc
import json
import socket
import threading
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from sandbox.http_service import Delivery, Response, Service
from sandbox.iss import add_fault
from sandbox.iss.faults import FAULTS
from tests.sandbox.iss import ANALYTICS, BOARD, CANDLES, NOON, SBER, Asking, asking, rows
from tests.services.exchange import Exchange

PATHS = (SBER, f"{CANDLES}?from=2020-01-01", f"{ANALYTICS}/IMOEX.json")
PATIENCE_S = 60
LONG_MS = 400
"""The seconds that a client waits for an answer that never comes."""


@pytest.fixture
def iss() -> Iterator[Asking]:
    with asking() as each:
        yield each


def kinds(document: Any) -> set[type]:
    """The types of all values in the rows."""
    return {type(value) for table in document.values() for row in table["data"] for value in row}


@pytest.mark.parametrize("status", [400, 404, 429, 500, 502, 503])
def test_a_status_comes_with_a_page_of_html(iss: Asking, status: int) -> None:
    iss.exchange.fail(f"HTTP{status}")
    answer = iss.get(SBER)
    assert (answer.status_code, answer.headers["content-type"]) == (status, "text/html; charset=utf-8")
    assert "retry-after" not in answer.headers


def test_too_many_requests_may_say_when_to_come_back(iss: Asking) -> None:
    iss.exchange.fail("RETRYAFTER7", times=1)
    iss.exchange.fail("RETRYDATE", times=1)
    answers = [iss.get(SBER) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [429, 429]
    assert [answer.headers["retry-after"] for answer in answers] == ["7", "Fri, 31 Dec 2100 23:59:59 GMT"]


def test_a_slow_answer_takes_longer_than_a_client_waits(iss: Asking) -> None:
    iss.exchange.fail("SLOW", times=1)
    with pytest.raises(httpx.ReadTimeout):
        iss.client.get(SBER, timeout=LONG_MS / 1000)
    assert iss.get(SBER).is_success


def test_a_late_answer_is_unchanged(iss: Asking) -> None:
    honest = iss.get(SBER)
    iss.exchange.fail("LATE20")
    assert iss.get(SBER).content == honest.content


def test_a_reset_is_the_end_of_the_connection_before_an_answer(iss: Asking) -> None:
    iss.exchange.fail("RESET")
    with pytest.raises((httpx.RemoteProtocolError, httpx.ReadError)):
        iss.get(SBER)


def test_a_cut_answer_ends_within_its_body(iss: Asking) -> None:
    iss.exchange.fail("CUT")
    with iss.client.stream("GET", SBER) as answer:
        assert answer.status_code == 200
        with pytest.raises(httpx.RemoteProtocolError, match="without sending complete message body"):
            answer.read()


def test_a_dripping_answer_never_ends(iss: Asking) -> None:
    iss.exchange.fail("DRIP")
    with iss.client.stream("GET", SBER) as answer:
        drops = answer.iter_raw()
        first = [next(drops) for _ in range(3)]
    assert b"".join(first) == b'{"s'
    assert int(answer.headers["content-length"]) > 1000


@pytest.mark.parametrize("name", ["BROKENJSON", "NOTJSON"])
def test_an_answer_can_be_no_json_at_all(iss: Asking, name: str) -> None:
    iss.exchange.fail(name)
    answer = iss.get(SBER)
    assert answer.status_code == 200
    with pytest.raises(json.JSONDecodeError):
        answer.json()


def test_an_error_can_come_inside_http_200(iss: Asking) -> None:
    iss.exchange.fail("ERRORBLOCK")
    assert iss.json(SBER)[1] == {"securities": [{"error": "Error while acquiring data."}]}


@pytest.mark.parametrize("path", PATHS)
class TestShapes:
    """Faults of tables, on any path."""

    def test_blocks_can_be_missing(self, iss: Asking, path: str) -> None:
        iss.exchange.fail("NOBLOCKS")
        assert iss.json(path) == {}

    def test_rows_can_be_missing(self, iss: Asking, path: str) -> None:
        iss.exchange.fail("NOROWS")
        assert all(table["columns"] and table["data"] == [] for table in iss.json(path).values())

    def test_a_column_that_is_needed_can_be_missing(self, iss: Asking, path: str) -> None:
        honest = iss.json(path)
        iss.exchange.fail("NOCOLUMN")
        lacking = iss.json(path)
        missing = {name for block in honest for name in set(honest[block]["columns"]) - set(lacking[block]["columns"])}
        assert missing < {"SYSTIME", "close", "weight"}
        assert missing

    def test_rows_can_be_shorter_than_their_columns(self, iss: Asking, path: str) -> None:
        iss.exchange.fail("RAGGED")
        for table in iss.json(path).values():
            assert all(len(row) == len(table["columns"]) - 1 for row in table["data"])

    def test_numbers_can_be_texts(self, iss: Asking, path: str) -> None:
        iss.exchange.fail("TEXTS")
        assert kinds(iss.json(path)) <= {str, type(None)}

    def test_numbers_can_be_absurd(self, iss: Asking, path: str) -> None:
        iss.exchange.fail("ABSURD")
        assert "1.7e+308" in iss.get(path).text

    def test_columns_can_be_shuffled_without_a_change_in_meaning(self, iss: Asking, path: str) -> None:
        honest = iss.json(path)
        iss.exchange.fail("SHUFFLED")
        shuffled = iss.json(path)
        for block, table in honest.items():
            before, after = rows(honest, block), rows(shuffled, block)
            assert shuffled[block]["columns"] != table["columns"]
            assert [{**dict.fromkeys(table["columns"]), **row} for row in after] == [
                {**row, "NEWCOLUMN": "new"} for row in before
            ]


@pytest.mark.parametrize("path, block", [(CANDLES, "candles"), (f"{ANALYTICS}/IMOEX.json", "analytics")])
def test_pages_can_repeat_themselves_or_end_too_early(path: str, block: str) -> None:
    with asking(cursor=True) as iss:
        first = iss.rows(path, block)
        iss.exchange.fail("STUCK", times=1)
        assert iss.rows(path, block, start=len(first)) == first
        iss.exchange.fail("TRUNCATED", times=2)
        assert iss.rows(path, block) == first
        ended = iss.json(path, start=len(first))
    assert ended[block]["data"] == []
    assert rows(ended, f"{block}.cursor")[0]["TOTAL"] > len(first)


def test_an_index_can_be_cut_short_without_a_word(iss: Asking) -> None:
    honest = iss.json(f"{ANALYTICS}/IMOEX.json", limit=100)
    iss.exchange.fail("SHORTPAGES")
    cut = iss.json(f"{ANALYTICS}/IMOEX.json", limit=100)
    assert rows(cut, "analytics") == rows(honest, "analytics")[:20]
    assert "analytics.cursor" not in cut


def test_connections_can_be_refused_for_a_while_on_the_same_port(iss: Asking) -> None:
    assert iss.get(SBER).is_success
    with iss.exchange.unreachable(), pytest.raises((httpx.ConnectError, httpx.RemoteProtocolError, httpx.ReadError)):
        iss.get(SBER)
    assert iss.get(SBER).is_success


def test_the_first_requests_fail_and_then_it_recovers(iss: Asking) -> None:
    iss.exchange.fail("HTTP503", times=2)
    assert [iss.get(SBER).status_code for _ in range(3)] == [503, 503, 200]


def test_a_fault_may_be_of_some_paths_alone(iss: Asking) -> None:
    iss.exchange.fail("HTTP500", path="/analytics/")
    assert (iss.get(SBER).status_code, iss.get(f"{ANALYTICS}/IMOEX.json").status_code) == (200, 500)
    iss.exchange.recover()
    assert iss.get(f"{ANALYTICS}/IMOEX.json").status_code == 200


def test_several_plans_befall_in_their_order(iss: Asking) -> None:
    iss.exchange.fail("HTTP500", times=1)
    iss.exchange.fail("HTTP502")
    assert [iss.get(SBER).status_code for _ in range(3)] == [500, 502, 502]


@pytest.mark.parametrize("name", ["", "HTTP", "SBER", "http503", "LATE"])
def test_a_name_that_is_no_faults_cannot_be_planned(iss: Asking, name: str) -> None:
    with pytest.raises(ValueError, match="There is no fault"):
        iss.exchange.fail(name)


def test_a_fault_may_stand_in_place_of_a_ticker(iss: Asking) -> None:
    assert iss.get(f"{BOARD}/securities/HTTP503.json").status_code == 503
    shuffled = iss.json(f"{BOARD}/securities/SHUFFLED/candles.json", from_="2026-11-19")
    assert shuffled["candles"]["columns"] != iss.json(CANDLES)["candles"]["columns"]
    assert len(shuffled["candles"]["data"]) == 2


def test_a_fault_may_stand_in_the_base_url(iss: Asking) -> None:
    url = add_fault(iss.exchange.url, "HTTP502")
    assert httpx.URL(url).path == "/HTTP502/iss"
    assert [httpx.get(f"{each}/{SBER}", timeout=PATIENCE_S).status_code for each in (url, iss.exchange.url)] == [
        502,
        200,
    ]


@pytest.mark.parametrize("name", sorted(FAULTS))
def test_every_fault_can_be_a_ticker_of_the_contract(name: str) -> None:
    assert len(name) <= 16


def test_a_request_is_remembered_with_its_time_its_path_its_query_and_its_headers(iss: Asking) -> None:
    iss.client.get(f"{SBER}?iss.meta=off&securities.columns=", headers={"User-Agent": "tests/1"})
    (request,) = iss.exchange.requests
    assert (request.at, request.path) == (NOON, f"/iss/{SBER}")
    assert request.query == {"iss.meta": "off", "securities.columns": ""}
    assert request.headers["user-agent"] == "tests/1"


def test_a_request_that_fails_is_remembered_too(iss: Asking) -> None:
    iss.exchange.fail("HTTP500", times=1)
    for _ in range(2):
        iss.get(SBER)
    first, second = iss.exchange.requests
    assert first.at_s <= second.at_s


def test_a_request_wakes_a_thread_that_waits_for_it() -> None:
    with Exchange(lambda: NOON).running() as exchange:
        exchange.fail("SLOW")
        asking = threading.Thread(target=_ask_in_vain, args=(f"{exchange.url}/{SBER}",))
        asking.start()
        exchange.wait_for_requests(1)
        with pytest.raises(TimeoutError, match="1 requests instead of 2"):
            exchange.wait_for_requests(2, timeout_s=0)
    asking.join()
    assert exchange.peak_connections == 1


def _ask_in_vain(url: str) -> None:
    with pytest.raises((httpx.RemoteProtocolError, httpx.ReadError)):
        httpx.get(url, timeout=PATIENCE_S)


def test_every_way_of_delivery_belongs_to_a_fault() -> None:
    assert {each.name for each in Delivery} - {"WHOLE", "NEVER"} <= set(FAULTS)


def test_only_get_is_answered(iss: Asking) -> None:
    assert iss.client.post(SBER).status_code == 404


@pytest.mark.parametrize("line", [b"hello\r\n\r\n", b"x" * (1 << 17)], ids=["no HTTP", "a line without an end"])
def test_a_client_that_does_not_speak_http_is_disconnected(iss: Asking, line: bytes) -> None:
    with socket.create_connection(("127.0.0.1", httpx.URL(iss.exchange.url).port or 0)) as connection:
        connection.sendall(line)
        with contextlib.suppress(ConnectionResetError):
            assert connection.recv(1) == b""
    assert iss.get(SBER).is_success


def test_a_client_that_connects_during_the_stop_is_disconnected_and_nothing_stays_open() -> None:
    for connections in range(1, 21):
        with Service(lambda _: Response(body=b"late")).running() as service:
            callers = [socket.create_connection(("127.0.0.1", service.port), PATIENCE_S) for _ in range(connections)]
        for caller in callers:
            with caller, contextlib.suppress(ConnectionResetError):
                assert caller.recv(1) == b""
    gc.collect()  # a connection or a socket that is still open complains, and that fails the test
