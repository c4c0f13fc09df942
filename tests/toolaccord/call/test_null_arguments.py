"""Calls with null for optional arguments: the same as without them, and counted."""

import pytest

from tests.toolaccord.versioning.test_lifecycle import Desk, violations


@pytest.fixture
def desk() -> Desk:
    return Desk()


def counted(desk: Desk, tool: str) -> float | None:
    return desk.metrics.registry.get_sample_value("mcp_null_arguments_total", {"tool": tool})


async def test_null_for_an_optional_argument_is_taken_as_absent_and_counted(desk: Desk) -> None:
    assert counted(desk, "get_book") == 0
    answer = await desk.call("get_book", None, {"id": 7, "reason": None})
    assert answer.body["data"] == {"id": 7, "title": "get 7"}
    assert (counted(desk, "get_book"), counted(desk, "list_books")) == (1, 0)
    await desk.call("get_book", None, {"id": 7})
    assert counted(desk, "get_book") == 1


async def test_a_default_takes_the_place_of_null(desk: Desk) -> None:
    answer = await desk.call("list_books", None, {"shelf": "A", "limit": None})
    assert len(answer.body["data"]["items"]) == 2


async def test_null_for_a_required_or_unknown_argument_is_rejected(desk: Desk) -> None:
    answer = await desk.call("get_book", None, {"id": None, "reason": None, "colour": None})
    assert [pointer for pointer, _ in violations(answer)] == ["/id", "/colour"]
    assert counted(desk, "get_book") == 0


async def test_a_cached_result_answers_a_call_with_null(desk: Desk) -> None:
    await desk.call("list_books", None, {"shelf": "A"})
    answer = await desk.call("list_books", None, {"offset": None, "shelf": "A", "fresh": None})
    assert answer.body["_metadata"]["cached"]


async def test_a_call_in_an_older_version_may_have_null_too(desk: Desk) -> None:
    answer = await desk.call("get_book", "0.9.0", {"number": 7, "why": None})
    assert answer.body["data"] == {"number": 7, "name": "get 7"}
    assert counted(desk, "get_book") == 1
