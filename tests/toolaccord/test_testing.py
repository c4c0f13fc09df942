import logging
from dataclasses import replace
from typing import cast

import pytest

from tests.toolaccord.demo import library
from tests.toolaccord.demo.library import Librarian
from toolaccord.errors import UndeclaredEffect
from toolaccord.sources.http import Http, HttpTimeout, HttpUnavailable
from toolaccord.sources.nats import Nats
from toolaccord.sources.postgresql import Postgresql, PostgresqlError, Row
from toolaccord.testing import FakeEvents, FakeHttp, FakePostgresql, capture_logs, connect


async def test_a_fake_database_returns_the_rows_of_its_function() -> None:
    statements: list[tuple[str, tuple[object, ...]]] = []

    def answer(sql: str, values: tuple[object, ...]) -> list[Row]:
        statements.append((sql, values))
        if sql == "broken":
            raise PostgresqlError("no")
        return [{"n": 1}, {"n": 2}]

    postgres: Postgresql = FakePostgresql(answer)
    assert await postgres.fetch("a", 1) == [{"n": 1}, {"n": 2}]
    assert await postgres.fetch_one("b") == {"n": 1}
    async with postgres.transaction() as transaction:
        await transaction.fetch("c", 2)
    with pytest.raises(PostgresqlError):
        await postgres.fetch("broken")
    assert statements == [("a", (1,)), ("b", ()), ("c", (2,)), ("broken", ())]


async def test_a_fake_service_returns_its_pages() -> None:
    fake = FakeHttp({"a": {"x": 1}, "slow": HttpTimeout("late")})
    http: Http = fake
    assert await http.get_json("a", {"q": 1}) == {"x": 1}
    with pytest.raises(HttpTimeout):
        await http.get_json("slow")
    with pytest.raises(HttpUnavailable) as raised:
        await http.get_json("b")
    assert raised.value.status == 404
    assert fake.requests == [("a", {"q": 1}), ("slow", {}), ("b", {})]


async def test_a_fake_service_rejects_what_a_reading_tool_may_not_send() -> None:
    fake = FakeHttp({"a": {"x": 1}})
    reading: Http = fake.reading("add it to adds")
    assert await reading.get_json("a") == {"x": 1}
    assert (await reading.request("POST", "a", is_safe=True)).status == 200
    with pytest.raises(UndeclaredEffect, match="add it to adds"):
        await reading.request("POST", "a")
    assert [method for method, _, _ in fake.sent] == ["GET", "POST"]


async def test_a_fake_broker_publishes_nothing_for_a_reader() -> None:
    events = FakeEvents("nats")
    reading = cast("Nats", events.reading("add it"))
    for publication in (lambda: reading.publish("a", b"1"), lambda: reading.publish_once("a", b"1", message_id="1")):
        with pytest.raises(UndeclaredEffect, match="add it"):
            await publication()
    assert events.published == []


async def test_connecting_to_a_broken_server_raises_its_error() -> None:
    served = library.server(Librarian())
    broken = replace(served, tools=(replace(served.tools[0], parameters=None),))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="input"):
        async with connect(broken):
            raise AssertionError


def test_logs_are_captured_inside_the_block_only() -> None:
    log = logging.getLogger("tests.testing")
    with capture_logs(logging.WARNING) as records:
        log.info("quiet")
        log.warning("loud")
    log.warning("later")
    assert [record.getMessage() for record in records] == ["loud"]
