"""The pictures in the pages are small, and each is shown."""

from pathlib import Path

import pytest

from tests.docs.pictures import FOLDER, LARGEST, PICTURES, ROOT, THEMES

NAMES = [f"{name}-{theme}.png" for name in PICTURES for theme in THEMES]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_folder_has_the_pictures_that_the_session_draws() -> None:
    assert sorted(each.name for each in Path(FOLDER).iterdir()) == sorted(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_picture_is_small_and_in_the_readme(name: str) -> None:
    assert (FOLDER / name).stat().st_size <= LARGEST
    assert f'"docs/pictures/{name}"' in README
