from typing import Any

import pytest

from toolaccord.telemetry.correlation import resolve_corr_id


@pytest.mark.parametrize(
    "meta,expected",
    [
        ({"corr_id": "abc_DEF-1"}, "abc_DEF-1"),
        (
            {"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"},
            "0af7651916cd43dd8448eb211c80319c",
        ),
        ({"corr_id": "two\nlines", "traceparent": f"00-{'a' * 32}-{'b' * 16}-01"}, "a" * 32),
    ],
)
def test_a_caller_may_choose_the_correlation_id(meta: dict[str, Any], expected: str) -> None:
    assert resolve_corr_id(meta) == expected


@pytest.mark.parametrize(
    "meta",
    [
        None,
        {},
        {"corr_id": "x" * 129},
        {"corr_id": 5, "traceparent": "nonsense"},
        {"traceparent": f"00-{'0' * 32}-{'b' * 16}-01"},
        {"traceparent": f"00-{'a' * 32}-{'0' * 16}-01"},
        {"traceparent": f"ff-{'a' * 32}-{'b' * 16}-01"},
    ],
)
def test_a_call_without_a_usable_id_gets_a_new_one(meta: dict[str, Any] | None) -> None:
    assert resolve_corr_id(meta) != resolve_corr_id(meta)
