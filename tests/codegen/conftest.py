"""What the tests of the compiler stand on."""

from __future__ import annotations

import pytest
from hypothesis import settings

# A machine that does several things at once is slow now and then; that is no fault of the compiler.
settings.register_profile("codegen", deadline=None)
settings.load_profile("codegen")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Understand --accept."""
    parser.addoption(
        "--accept", action="store_true", help="take what the compiler says now as what golden cases expect"
    )
