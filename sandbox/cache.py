"""The folder of the files that the sandbox's processes share."""

import os
from pathlib import Path


def cache_directory() -> Path:
    """Return toolpact's folder in the user's cache, by the XDG Base Directory Specification."""
    configured = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (configured if configured.is_absolute() else Path.home() / ".cache") / "toolpact"
