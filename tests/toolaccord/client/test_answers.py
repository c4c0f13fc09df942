"""Errors of servers that were made without toolaccord."""

from __future__ import annotations

import pytest

from generated.dialects import MOEX
from generated.moex.errors import NoData
from toolaccord.client.answers import build_error
from toolaccord.declarations.causes import DeclaredError


@pytest.mark.parametrize("details", [None, [1], "text"])
@pytest.mark.parametrize("code", ["NO_DATA", "SOMETHING_NEW"])
def test_details_that_are_no_object_are_left_out(code: str, details: object) -> None:
    error = build_error(MOEX, [DeclaredError(NoData)], {"code": code, "message": "none", "details": details})
    assert (error.code, error.details) == (code, {})
