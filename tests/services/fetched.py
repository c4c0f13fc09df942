"""Programs that tests need and no Python package has: `.ci/services` fetches them."""

import os
import subprocess
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def fetched(name: str) -> Path:
    """Return the path of *name*; skip the test with a reason if it cannot be fetched."""
    place, complaint = fetch(name)
    if place is None:
        pytest.skip(f"{name} cannot be had here: {complaint}")
    return place


@cache
def fetch(name: str) -> tuple[Path | None, str]:
    """Return the path of *name* and an empty text, or None and the reason."""
    today = os.environ | {"CLOCK_SHIFT_S": "0"}  # what is fetched is signed, and certified, for today
    try:
        done = subprocess.run(
            [ROOT / ".ci/services", name], env=today, capture_output=True, encoding="utf-8", timeout=600, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return None, str(error)
    if done.returncode != 0:
        return None, " ".join(done.stderr.split())[-300:] or f".ci/services ended with {done.returncode}"
    return Path(done.stdout.strip()), ""
