"""The site of this repository, which tests read and browsers open."""

from pathlib import Path

import pytest

from toolaccord_codegen.__main__ import main

ROOT = Path(__file__).parents[3]


def build(output: Path) -> dict[str, bytes]:
    """Return the files of the site of this repository, by their path."""
    assert main(["site", "--output", str(output)]) == 0
    return {path.relative_to(output).as_posix(): path.read_bytes() for path in output.rglob("*") if path.is_file()}


@pytest.fixture(scope="session")
def site_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the site of this repository."""
    folder = tmp_path_factory.mktemp("site") / "site"
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        build(folder)
    return folder
