"""Requests of every method: parts, credentials, statuses, repetitions and effects."""

import asyncio
import base64
import dataclasses
import logging
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import Any, get_args

import pytest

from tests.services.http_service import HttpService, Received, serving
from tests.toolaccord.sources.test_http import DECLARED
from toolaccord import IdempotencyKey, ToolError
from toolaccord.errors import UndeclaredEffect
from toolaccord.sources.http import HttpBadRequest, HttpBadResponse, HttpRateLimited, HttpUnavailable
from toolaccord.sources.http.api import Method
from toolaccord.sources.http.client import HttpClient
from toolaccord.sources.http.uri import build_path
from toolaccord.telemetry.redaction import Redactor
from toolaccord.testing import ManualClock
from toolaccord.timing.clock import Clock, SystemClock

KEY = IdempotencyKey(tool="pay", caller="ann", key="k-1", fingerprint="f", window_s=60)
VALUES = {
    "id": "a/b c",
    "n": 1.5,
    "on": True,
    "tags": ["x", "y&z"],
    "at": {"lat": 1, "lon": 2},
    "none": None,
    "up": "..",
}


class Missing(ToolError):
    """There is no such thing."""

    code, http, retryable = "MISSING", 404, False


class Closed(ToolError):
    """The service is closed."""

    code, http, retryable = "CLOSED", 503, True


@asynccontextmanager
async def opened(
    statuses: Iterable[int] = (200,), settings: dict[str, Any] | None = None, clock: Clock | None = None, **keys: Any
) -> AsyncIterator[tuple[HttpClient, HttpService]]:
    """Give the source of a service that answers with *statuses*, the last one for ever."""
    left = list(statuses)

    def respond(_: Received) -> tuple[int, Any]:
        return left.pop(0) if len(left) > 1 else left[0], {"a": 1}

    async with serving(respond) as service:
        declared = dataclasses.replace(DECLARED, **keys)
        http = declared.open({"base": f"{service.url}/v1", **(settings or {})}, clock or SystemClock())
        assert isinstance(http, HttpClient)
        try:
            yield http, service
        finally:
            await http.close()


async def test_every_method_is_sent_with_its_parts() -> None:
    async with opened() as (http, service):
        for method in get_args(Method):
            response = await http.request(method, "books/{id}{?n}", values=VALUES, headers={"X-A": 1, "X-B": None})
            assert (response.status, response.headers["x-page"]) == (200, "7")
            sent = service.requests[-1]
            assert (sent.line, sent.headers["x-a"]) == (f"{method} /v1/books/a%2Fb%20c?n=1.5", "1")
            assert "x-b" not in sent.headers


@pytest.mark.parametrize(
    "options, media_type, body",
    [
        ({"json": {"a": [1, None, 2**70]}}, "application/json", b'{"a": [1, null, 1180591620717411303424]}'),
        (
            {"json": [], "headers": {"Content-Type": "application/merge-patch+json"}},
            "application/merge-patch+json",
            b"[]",
        ),
        (
            {"form": {"a b": "1&2", "list": [1, 2], "at": {"x": True}, "none": None}},
            "application/x-www-form-urlencoded",
            b"a+b=1%262&list=1&list=2&at%5Bx%5D=true",
        ),
        ({"text": "ä"}, "text/plain; charset=utf-8", "ä".encode()),
        ({}, None, b""),
    ],
)
async def test_a_body_is_json_a_form_or_text(options: Any, media_type: str | None, body: bytes) -> None:
    async with opened() as (http, service):
        await http.request("POST", "books", **options)
        assert (service.requests[0].headers.get("content-type"), service.requests[0].body) == (media_type, body)


@pytest.mark.parametrize(
    "template, expected",
    [
        ("a/{id}/b", "a/a%2Fb%20c/b"),
        ("a/{tags}", "a/x,y%26z"),
        ("a/{at*}", "a/lat=1,lon=2"),
        ("a{/id,n}{;on}{.n}", "a/a%2Fb%20c/1.5;on=true.1.5"),
        ("a{?n,none,missing}{&on}", "a?n=1.5&on=true"),
        ("a{?tags}", "a?tags=x,y%26z"),
        ("a{?tags*}", "a?tags=x&tags=y%26z"),
        ("a{?at*}", "a?lat=1&lon=2"),
        ("a{?at}", "a?at=lat,1,lon,2"),
        ("a{?none}", "a"),
        ("{on}:activate", "true:activate"),
        ("a?x={up}", "a?x=.."),
    ],
)
def test_a_path_is_expanded_as_rfc_6570_says(template: str, expected: str) -> None:
    assert build_path(template, VALUES, None) == expected


def test_parameters_of_a_query_repeat_lists_and_nest_objects() -> None:
    params = {"q": "a b", "tags": ["x", "y"], "at": {"lat": 1, "in": ["z"]}, "none": None}
    assert build_path("a", None, params) == "a?q=a+b&tags=x&tags=y&at%5Blat%5D=1&at%5Bin%5D=z"
    assert build_path("a{?n}", VALUES, {"on": False}) == "a?n=1.5&on=false"


@pytest.mark.parametrize("value", ["", ".", "..", None, [], b"ab", [bytearray(b"ab")]])
def test_a_value_that_would_lead_to_another_path_is_rejected(value: Any) -> None:
    with pytest.raises(HttpBadRequest, match=r"in the path is absent|has the segment|is bytes"):
        build_path("books/{id}", {"id": value}, None)


def test_bytes_are_no_numbers_in_a_query() -> None:
    with pytest.raises(HttpBadRequest, match="is bytes"):
        build_path("a", None, {"q": b"ab"})


@pytest.mark.parametrize("expression", ["{+id}", "{#id}", "{id:3}", "{?n,id:3}", "{}", "{?}", "{|id}"])
def test_an_expression_that_is_not_supported_is_named(expression: str) -> None:
    with pytest.raises(HttpBadRequest, match="is not supported"):
        build_path(f"a/{expression}", VALUES, None)


@pytest.mark.parametrize(
    "path, options",
    [
        ("https://elsewhere.test/a", {}),
        ("//elsewhere.test/a", {}),
        ("../admin", {}),
        ("x/../../admin", {}),
        ("%2e%2E/admin", {}),
        ("..#x", {}),
        ("{n}{n}/admin", {"values": {"n": "."}}),
        ("a", {"headers": {"X-A": "1\r\nX-B: 2"}}),
        ("a", {"headers": {"X A": "1"}}),
        ("a", {"headers": {"X-A": "1 "}}),
        ("a", {"headers": {"X-A": b"1"}}),
        ("a", {"json": float("nan")}),
        ("a", {"json": object()}),
        ("a", {"idempotency_key": "1\n2"}),
    ],
)
async def test_a_request_that_would_leave_the_base_url_or_break_the_message_is_not_sent(
    path: str, options: Any
) -> None:
    async with opened() as (http, service):
        with pytest.raises(HttpBadRequest) as raised:
            await http.request("POST", path, **options)
        assert not raised.value.is_outage
        assert not raised.value.is_retryable
    assert service.requests == []


async def test_credentials_are_sent_and_never_logged(caplog: pytest.LogCaptureFixture) -> None:
    secret = "s3cret/key &"
    keys: dict[str, Any] = {"headers": {"X-Key": "key"}, "query": {"api_key": "key", "other": "empty"}}
    caplog.set_level(logging.DEBUG)
    async with opened((404,), {"token": "t0ken", "key": secret, "empty": ""}, bearer="token", **keys) as (
        http,
        service,
    ):
        with pytest.raises(HttpUnavailable) as raised:
            await http.request("GET", "a{?n}", values=VALUES)
    sent = service.requests[0]
    assert sent.target == "/v1/a?n=1.5&api_key=s3cret%2Fkey+%26"
    assert sent.headers["authorization"] == "Bearer t0ken"
    assert sent.headers["x-key"] == secret
    assert "s3cret" not in f"{raised.value} {raised.value.why}"
    redacted = Redactor([secret, "t0ken"]).redact(caplog.text)
    assert "t0ken" not in redacted
    assert "s3cret" not in redacted


async def test_basic_credentials_are_sent_and_empty_ones_are_not() -> None:
    async with opened((200,), {"user": "ann:pä"}, basic="user") as (http, service):
        await http.request("GET", "a")
    assert base64.b64decode(service.requests[0].headers["authorization"].removeprefix("Basic ")).decode() == "ann:pä"
    async with opened((200,), {"user": ""}, basic="user") as (http, service):
        await http.request("GET", "a")
    assert "authorization" not in service.requests[0].headers


@pytest.mark.parametrize("keys", [{"bearer": "token"}, {"headers": {"X-Key": "token"}}])
async def test_a_credential_that_no_header_can_hold_is_no_answer_of_the_service(keys: Any) -> None:
    async with opened((200,), {"token": "t0ken\n"}, **keys) as (http, service):
        http.availability.go_down("no answer")
        for attempt in (http.start, http.check, lambda: http.get_json("a")):
            with pytest.raises(HttpBadRequest) as raised:
                await attempt()
            assert "the setting token cannot be the header" in raised.value.why
            assert "t0ken" not in f"{raised.value} {raised.value.why}"
            assert raised.value.source == "iss"
        assert (http.availability.answers, http.availability.failures, http.availability.is_down) == (0, 0, True)
    assert service.requests == []


async def test_a_declared_status_is_the_error_of_the_tool() -> None:
    missing, closed = Missing("There is no such book."), Closed("Closed.")
    async with opened((404, 503, 200, 409)) as (http, _):
        with pytest.raises(Missing) as raised:
            await http.request("GET", "a", errors={404: missing, 503: closed})
        assert raised.value.__cause__ is raised.value.__context__ is None  # no failure of the source
        assert http.availability.failures == 0
        with pytest.raises(Closed) as outage:
            await http.request("GET", "a", errors={404: missing, 503: closed})
        assert isinstance(outage.value.__cause__, HttpUnavailable)
        assert (await http.request("GET", "a", errors={404: missing})).json() == {"a": 1}
        with pytest.raises(HttpUnavailable) as other:
            await http.request("GET", "a", errors={404: missing})
    assert other.value.response is not None
    assert (other.value.status, other.value.is_retryable, other.value.response.json()) == (409, False, {"a": 1})


async def test_a_colon_in_the_first_segment_is_no_scheme() -> None:
    async with opened() as (http, service):
        for path in ("{id}:activate", "documents:lookup", "/books", ""):
            await http.request("GET", path, values={"id": "abc"})
    assert [sent.target for sent in service.requests] == [
        "/v1/abc:activate",
        "/v1/documents:lookup",
        "/v1/books",
        "/v1/",
    ]


async def test_a_head_request_has_no_body_to_bound() -> None:
    async with opened(max_response_bytes=4) as (http, _):
        response = await http.request("HEAD", "a")
        assert (response.headers["content-length"], response.content) == ("8", b"")
        with pytest.raises(HttpBadResponse):
            await http.request("GET", "a")


async def test_the_key_of_a_call_is_passed_on_and_belongs_to_its_caller() -> None:
    async with opened() as (http, service):
        for key in (KEY, dataclasses.replace(KEY, caller="bob"), KEY, "own"):
            await http.request("POST", "a", json={}, idempotency_key=key)
        await http.request("POST", "b", json={}, idempotency_key=KEY)
        await http.request("POST", "b", json={}, idempotency_key=None)
        await http.request("POST", "b", json={"n": 1}, idempotency_key=KEY)
        await http.request("POST", "b", json={}, params={"n": 1}, idempotency_key=KEY)
    sent = [request.headers.get("idempotency-key") for request in service.requests]
    assert sent[0] == sent[2]
    assert sent[3:6:2] == ["own", None]
    assert len({*sent}) == 7


@pytest.mark.parametrize(
    "method, options, attempts",
    [
        ("GET", {}, 3),
        ("PUT", {}, 3),
        ("DELETE", {}, 3),
        ("POST", {}, 1),
        ("PATCH", {}, 1),
        ("POST", {"idempotency_key": KEY}, 3),
        ("POST", {"is_safe": True}, 3),
    ],
)
async def test_only_what_is_safe_to_repeat_is_repeated(method: Method, options: Any, attempts: int) -> None:
    clock = ManualClock()
    async with opened((503,), clock=clock, retries=2, timeout_s=1e6, connection_timeout_s=1e6) as (http, service):
        request = asyncio.create_task(http.request(method, "a", **options))
        while not request.done():
            await asyncio.sleep(0)
            clock.advance(1)
        with pytest.raises(HttpUnavailable):
            await request
    assert len(service.requests) == attempts


async def test_an_operation_that_only_reads_sends_safe_methods() -> None:
    async with opened() as (http, service):
        reading = http.reading("add it to adds")
        assert await reading.get_json("a") == {"a": 1}
        await reading.request("POST", "search", json={"q": 1}, is_safe=True)
        for method in ("POST", "PUT", "PATCH", "DELETE"):
            with pytest.raises(UndeclaredEffect, match="add it to adds"):
                await reading.request(method, "a")
        assert [request.method for request in service.requests] == ["GET", "POST"]
        assert (await http.request("DELETE", "a")).status == 200


async def test_safe_requests_that_wait_for_a_slot_are_sent_once_and_others_each() -> None:
    clock = ManualClock()
    async with opened(clock=clock, requests_per_second=1, timeout_s=1e6, connection_timeout_s=1e6) as (http, service):
        await http.get_json("first")
        same = [http.request("GET", "a{?n}", values={"n": 1}) for _ in range(3)]
        writes = [http.request("POST", "a", json=1) for _ in range(2)]
        waiting = asyncio.gather(*same, *writes, http.request("GET", "a{?n}", values={"n": 1}, headers={"x": "y"}))
        while not waiting.done():
            await asyncio.sleep(0)
            clock.advance(0.01)
        await waiting
    assert sorted(request.line for request in service.requests[1:]) == [
        "GET /v1/a?n=1",
        "GET /v1/a?n=1",
        "POST /v1/a",
        "POST /v1/a",
    ]


async def test_a_rejected_request_is_a_rate_limit_that_a_code_can_stand_for() -> None:
    async with opened((429,)) as (http, _):
        with pytest.raises(HttpRateLimited):
            await http.request("POST", "a")
        with pytest.raises(Closed) as raised:
            await http.request("POST", "a", errors={429: Closed("Busy.")})
        assert isinstance(raised.value.__cause__, HttpRateLimited)


async def test_a_response_without_json_is_text() -> None:
    async with serving(lambda _: (200, "grüße".encode())) as service:
        http = DECLARED.open({"base": service.url}, SystemClock())
        response = await http.request("GET", "a")
        assert response.text == "grüße"
        with pytest.raises(HttpBadResponse) as raised:
            response.json()
        assert raised.value.source == "iss"
        await http.close()
