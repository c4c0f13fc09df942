import pytest

from toolaccord.call.idempotency_key import key_violations
from toolaccord.contract.policies import Idempotency
from toolaccord.telemetry.correlation import resolve_corr_id
from toolaccord.transports.mcp.request_meta import complete_meta

TRACES = [f"00-{digit * 32}-{'b' * 16}-01" for digit in "12"]


def test_headers_complete_the_trace_context_of_a_call() -> None:
    headers = {"traceparent": TRACES[0], "tracestate": "vendor=1"}
    assert complete_meta(headers) == headers
    assert complete_meta(headers, {"corr_id": "abc"}) == headers | {"corr_id": "abc"}
    assert complete_meta(headers, {"traceparent": TRACES[1]}) == {"traceparent": TRACES[1]}


def test_the_correlation_id_comes_from_meta_then_from_the_trace_then_from_the_header() -> None:
    named = {"x-correlation-id": "header"}
    traced = named | {"traceparent": TRACES[0]}
    assert resolve_corr_id(complete_meta(traced, {"corr_id": "own"})) == "own"
    assert resolve_corr_id(complete_meta(traced, {"traceparent": TRACES[1]})) == "2" * 32
    assert resolve_corr_id(complete_meta(traced)) == "1" * 32
    assert resolve_corr_id(complete_meta(named)) == "header"


@pytest.mark.parametrize("header", ["order:1", '"order:1"'])
def test_the_header_idempotency_key_is_bare_or_quoted(header: str) -> None:
    assert complete_meta({"idempotency-key": header}) == {"idempotency_key": "order:1"}


@pytest.mark.parametrize("header", ['"order:1', 'order:1"', '"a", "b"', '"a";b=1', r'"a\"b"', '""a""'])
def test_another_header_idempotency_key_stays_as_it_is_and_is_no_valid_key(header: str) -> None:
    meta = complete_meta({"idempotency-key": header})
    assert meta == {"idempotency_key": header}
    assert len(key_violations(Idempotency(key_from=("request",), window_s=1), meta)) == 1


def test_a_key_in_meta_takes_precedence_over_the_header() -> None:
    """It names the call, while an SDK or a proxy may give each request a header."""
    assert complete_meta({"idempotency-key": "a"}, {"idempotency_key": "b"}) == {"idempotency_key": "b"}
