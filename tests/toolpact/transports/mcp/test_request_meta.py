from toolpact.telemetry.correlation import resolve_corr_id
from toolpact.transports.mcp.request_meta import meta

TRACES = [f"00-{digit * 32}-{'b' * 16}-01" for digit in "12"]


def test_a_header_gives_the_trace_of_a_call_that_names_none_itself() -> None:
    headers = {"traceparent": TRACES[0], "tracestate": "vendor=1"}
    assert meta(headers) == headers
    assert meta(headers, {"corr_id": "abc"}) == headers | {"corr_id": "abc"}
    assert meta(headers, {"traceparent": TRACES[1]}) == {"traceparent": TRACES[1]}


def test_a_call_is_known_by_what_it_says_itself_then_by_its_trace_then_by_the_header() -> None:
    named = {"x-correlation-id": "header"}
    traced = named | {"traceparent": TRACES[0]}
    assert resolve_corr_id(meta(traced, {"corr_id": "said"})) == "said"
    assert resolve_corr_id(meta(traced, {"traceparent": TRACES[1]})) == "2" * 32
    assert resolve_corr_id(meta(traced)) == "1" * 32
    assert resolve_corr_id(meta(named)) == "header"
