"""Prove that docs/installation.md lists the extras that there are."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/installation.md").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_the_page_lists_every_extra() -> None:
    extras = re.findall(r"^\| `(\w+)` \| ", PAGE.partition("## Contents")[0].partition("## Extras")[2], re.MULTILINE)
    assert sorted({*extras}) == sorted(PROJECT["optional-dependencies"])


def test_the_page_names_the_wheel_and_the_python_of_this_version() -> None:
    assert f"dist/toolaccord-{PROJECT['version']}-py3-none-any.whl" in PAGE
    assert f"Python {PROJECT['requires-python'].removeprefix('>=')} or newer" in PAGE
