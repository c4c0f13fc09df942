"""The environment of a project under development: the process's own, and the file `.env`."""

from __future__ import annotations

import os
from pathlib import Path

from toolaccord_codegen.diagnostics import CommandError
from toolaccord_codegen.loading.documents import display_path

ENV_FILE = ".env"


def read_environment(folder: Path) -> dict[str, str]:
    """Return the variables of the process, then those of the file `.env` in a project's folder.

    A variable of the process wins. Raises CommandError for a file that is not UTF-8.
    """
    path = folder / ENV_FILE
    if not path.exists():
        return dict(os.environ)
    from dotenv import dotenv_values  # an image has no such file, and not this package

    try:
        stored = dotenv_values(path)
    except UnicodeDecodeError:
        raise CommandError(f"{display_path(path)} is not UTF-8; save it as UTF-8") from None
    return {**{name: value for name, value in stored.items() if value is not None}, **os.environ}
