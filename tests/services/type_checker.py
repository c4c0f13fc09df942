"""mypy with the options of this repository, and what `./run types` keeps of its last run."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
OPTIONS = ROOT / "pyproject.toml"


def check_types(folder: Path, *modules: str, options: Path = OPTIONS) -> str:
    """Return what mypy says of *modules* in *folder*, by the strict options of a file.

    The further errors of this repository are enabled too, so that the library is not judged again.
    """
    further = tomllib.loads(OPTIONS.read_text(encoding="utf-8"))["tool"]["mypy"]["enable_error_code"]
    own = () if options == OPTIONS else [f"--enable-error-code={code}" for code in further]
    how = ["--no-error-summary", "--config-file", str(options), "--cache-dir", str(ROOT / ".mypy_cache"), *own]
    search = os.pathsep.join(map(str, (folder, ROOT, ROOT / "codegen")))
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *how, *modules],
        cwd=folder,
        env={"PATH": "", "MYPYPATH": search},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    return done.stdout + done.stderr
