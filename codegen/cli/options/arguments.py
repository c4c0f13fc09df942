"""Declaration of a command-line argument on the field of an options record."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any


def argument(description: str, **settings: Any) -> dict[str, Any]:
    """Return the settings of `add_argument` for a field of an options record, as its metadata.

    Its flag is `--` and its name, with hyphens for underscores, unless the setting `flag` is false. A default that is a
    function returns the default.
    """
    return {"help": description, **settings}


def program_name() -> str:
    """Return the name by which the program was called, `toolpact` or `python -m codegen`."""
    return "toolpact" if Path(sys.argv[0]).stem == "toolpact" else "python -m codegen"
