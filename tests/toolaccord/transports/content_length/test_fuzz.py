import logging

import pytest

from tests.toolaccord.transports.content_length.fuzz import REQUESTS, fuzz


async def test_two_thousand_broken_streams_hide_no_well_formed_request(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL)
    codes = await fuzz(range(2_000), seed=1)
    assert codes.keys() == {-32600, *(code for _, _, code in REQUESTS)}
