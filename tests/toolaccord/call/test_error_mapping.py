"""The details and codes that a dialect gives to errors outside the handlers."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from tests.toolaccord.demo import library
from tests.toolaccord.demo.library import Librarian, LibraryCall, MisbehaveRequest, MisbehaveResult, WoodenShelf
from tests.toolaccord.generated.demo.errors import ShelfGone
from toolaccord.call.error_mapping import failure_of
from toolaccord.call.response import Answer
from toolaccord.contract.dialects import StandardCode
from toolaccord.errors import IdempotencyConflict, SourceError
from toolaccord.sources.files import FilesError
from toolaccord.sources.grpc import GrpcError
from toolaccord.sources.http import HttpBadRequest, HttpTimeout, HttpUnavailable
from toolaccord.sources.influxdb import InfluxdbError
from toolaccord.sources.nats import NatsError
from toolaccord.sources.postgresql import PostgresqlError
from toolaccord.testing import ManualClock, pipeline
from toolaccord.timing.deadline import DeadlineExceeded

DETAILS = {
    "arguments": ("field", "violations"),
    "source": ("service",),
    "deadline": ("tool", "timeout_ms"),
    "conflict": ("idempotency_key",),
}


class Failing(Librarian):
    """Handlers of which one raises an error, or returns something wrong."""

    def __init__(self, outcome: BaseException | str) -> None:
        self.outcome = outcome

    async def misbehave(self, _request: MisbehaveRequest, call: LibraryCall, /) -> MisbehaveResult:
        if isinstance(self.outcome, BaseException):
            raise self.outcome
        return await super().misbehave(MisbehaveRequest.model_construct(how=self.outcome), call)


async def answer(
    outcome: BaseException | str,
    arguments: Any = None,
    *,
    details: Mapping[str, tuple[str, ...]] = DETAILS,
    occasions: Mapping[str, str] | None = None,
) -> Answer:
    """Call a failing tool in a dialect with *details* and further *occasions*."""
    server = library.server(Failing(outcome))
    codes = {
        **server.dialect.codes,
        "NO_HANDLER": StandardCode(http=501, description="None", retryable=False),
        "BROKEN": StandardCode(http=500, description="Broken", retryable=False),
    }
    known = replace(server.dialect.occasions, **(occasions or {}))
    dialect = replace(server.dialect, occasions=known, details=details, codes=codes)
    clock = ManualClock()
    settings = {"shelf_url": "s3cr3t"}
    calls = pipeline(
        replace(server, dialect=dialect), sources={"shelf": WoodenShelf("shelf")}, settings=settings, clock=clock
    )
    return await calls.call("misbehave", {"how": "crash"} if arguments is None else arguments)


def details_of(found: Answer) -> Any:
    assert found.is_error
    return found.body["error"]["details"]


async def test_invalid_arguments_name_the_first_field_and_all_violations() -> None:
    details = details_of(await answer("crash", {"what": 1}))
    assert list(details) == ["field", "violations"]
    assert f"/{details['field']}" == details["violations"][0]["at"]
    assert {each["at"] for each in details["violations"]} == {"/how", "/what"}


async def test_invalid_arguments_without_a_place_name_no_field() -> None:
    assert list(details_of(await answer("crash", []))) == ["violations"]


@pytest.mark.parametrize(
    "error,service",
    [
        (PostgresqlError("x"), "postgresql"),
        (HttpTimeout("x"), "http"),
        (InfluxdbError("x"), "influxdb"),
        (GrpcError("x", status="UNAVAILABLE"), "grpc"),
    ],
)
async def test_a_failed_source_is_named_by_its_kind(error: SourceError, service: str) -> None:
    assert details_of(await answer(error)) == {"service": service}


@pytest.mark.parametrize(
    "error,is_outage",
    [
        (HttpTimeout("x"), True),
        (InfluxdbError("x", is_lost=True), True),
        (InfluxdbError("x", status=503), True),
        (InfluxdbError("x"), False),
        (NatsError("x"), True),
        (NatsError("x", code=10077), False),
        (FilesError("x"), False),
        (SourceError("x"), False),
    ],
)
async def test_the_caller_reads_whether_to_call_again(error: SourceError, *, is_outage: bool) -> None:
    message = (await answer(error)).body["error"]["message"]
    again, log = "is unavailable; call again later.", "cannot serve this call; the server's log has the reason."
    assert message == f"A data source {again if is_outage else log}"


@pytest.mark.parametrize(
    "error, code",
    [
        (HttpUnavailable("x", status=404), "INTERNAL_ERROR"),
        (HttpUnavailable("x", status=302), "INTERNAL_ERROR"),
        (HttpBadRequest("x"), "INTERNAL_ERROR"),
        (HttpUnavailable("x", status=408), "SHELF_ERROR"),
        (HttpUnavailable("x", status=503), "SHELF_ERROR"),
        (HttpUnavailable("x"), "SHELF_ERROR"),
    ],
)
def test_a_request_that_a_source_rejects_whenever_it_comes_is_not_to_be_repeated(error: SourceError, code: str) -> None:
    server = library.server(Librarian())
    tool = next(each for each in server.tools if each.name == "misbehave")
    assert failure_of(replace(tool, errors=()), server.dialect, error).code == code
    assert failure_of(tool, server.dialect, error).code == "SHELF_GONE"  # its own code for the source


@pytest.mark.parametrize("is_handled", [False, True])
def test_an_error_of_a_handler_has_the_cause_and_the_pause_of_the_source_that_failed(*, is_handled: bool) -> None:
    server = library.server(Librarian())
    tool = next(each for each in server.tools if each.name == "misbehave")
    busy, error = HttpUnavailable("x", status=503), ShelfGone("gone")
    busy.retry_after_s = 6.5
    if is_handled:
        error.__context__ = busy  # raised in an `except` block
    else:
        error.__cause__ = RuntimeError()
        error.__cause__.__cause__ = busy
    failure = failure_of(tool, server.dialect, error)
    assert (failure.code, failure.cause, failure.retry_after_s) == ("SHELF_GONE", busy.cause, 7)
    error.__cause__ = error.__context__ = None
    failure = failure_of(tool, server.dialect, error)
    assert (failure.code, failure.cause, failure.retry_after_s) == ("SHELF_GONE", None, None)


async def test_a_failure_of_an_unknown_source_has_no_details() -> None:
    assert details_of(await answer(SourceError("x"))) == {}


async def test_a_missed_deadline_names_the_tool_and_its_time() -> None:
    assert details_of(await answer(DeadlineExceeded())) == {"tool": "misbehave", "timeout_ms": 5000}


async def test_a_conflict_names_the_key() -> None:
    assert details_of(await answer(IdempotencyConflict("order-1"), occasions={"conflict": "BROKEN"})) == {
        "idempotency_key": "order-1"
    }


async def test_without_names_in_the_dialect_there_are_no_details() -> None:
    for outcome in (PostgresqlError("x"), IdempotencyConflict("order-1"), "crash"):
        assert details_of(await answer(outcome, details={})) == {}
    assert details_of(await answer("crash", {}, details={})) == {}


async def test_a_missing_handler_and_a_broken_result_have_codes_of_their_own() -> None:
    codes = {"handler": "NO_HANDLER", "result": "BROKEN"}
    missing, broken = await answer(NotImplementedError("s3cr3t"), occasions=codes), await answer("nan", occasions=codes)
    assert (missing.code, missing.http, broken.code, broken.http) == ("NO_HANDLER", 501, "BROKEN", 500)
    assert "s3cr3t" not in missing.text
    assert (await answer("crash", occasions=codes)).code == "INTERNAL_ERROR"


async def test_without_such_codes_both_are_internal_errors() -> None:
    for outcome in (NotImplementedError(), "nan", "crash"):
        found = await answer(outcome)
        assert (found.code, found.body["error"]["message"]) == ("INTERNAL_ERROR", "The server failed to answer.")
