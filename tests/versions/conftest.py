"""Share a generated server with three versions of a tool."""

from collections.abc import Iterator

import pytest
from hypothesis import settings

from tests.versions.risk_server import GeneratedServer, generate_server

# A busy machine may exceed the default deadline, which tests nothing here.
settings.register_profile("versions", deadline=None)
settings.load_profile("versions")


@pytest.fixture(scope="session")
def risk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GeneratedServer]:
    """Yield the server of `risk/`."""
    with generate_server(tmp_path_factory.mktemp("versions")) as server:
        yield server
