"""What the tests of versions side by side stand on."""

from collections.abc import Iterator

import pytest
from hypothesis import settings

from tests.versions.generated import Generated, generated

# A machine that does several things at once is slow now and then; that is no fault of what is tested.
settings.register_profile("versions", deadline=None)
settings.load_profile("versions")


@pytest.fixture(scope="session")
def risk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Generated]:
    """The server of `risk/`."""
    with generated(tmp_path_factory.mktemp("versions")) as made:
        yield made
