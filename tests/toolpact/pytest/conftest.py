"""Let the fixtures of the plugin use TradeStream's migrations."""

import pytest

from sandbox.tradestream.database import SCHEMA
from toolpact.pytest import Migrate


@pytest.fixture(scope="session")
def postgresql_migrate() -> Migrate:
    return SCHEMA.migrate
