"""Copy a generated configuration, and nothing else, into the folder of a host's user."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.contracts.shipped import GENERATED

SCRIPTS = Path(sys.executable).parent
"""The folder of the servers' commands."""
QUIET = {
    "DISABLE_AUTOUPDATER": "1",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "OPENCODE_DISABLE_AUTOUPDATE": "1",
    "OPENCODE_DISABLE_MODELS_FETCH": "1",
}
"""Tells hosts to call nobody."""


@dataclass(frozen=True, slots=True)
class Project:
    """A folder with a home beside it, and the settings that its owner has exported."""

    place: Path
    settings: Mapping[str, str]

    @property
    def home(self) -> Path:
        """The owner's home folder."""
        return self.place / "home"

    @property
    def folder(self) -> Path:
        """The folder in which the host starts."""
        return self.place / "project"

    def copy(self, generated: str, *places: str) -> None:
        """Copy a generated configuration to each of *places* below the parent of project and home."""
        for place in places:
            target = self.place / place
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(GENERATED / generated, target)

    def write(self, place: str, text: str) -> None:
        """Write the settings of the user, such as trusted folders."""
        target = self.place / place
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")

    def run(self, *command: str | Path, **variables: str) -> str:
        """Run a command with the servers' commands on the path; return its output."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self.home.mkdir(parents=True, exist_ok=True)
        path = os.pathsep.join([str(SCRIPTS), os.environ["PATH"]])
        done = subprocess.run(
            command, cwd=self.folder, env={"HOME": str(self.home), "PATH": path, **QUIET, **self.settings, **variables},
            stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", timeout=120, check=False,
        )  # fmt: skip
        assert done.returncode == 0, f"{command} ended with {done.returncode}: {done.stdout}{done.stderr}"
        return done.stdout + done.stderr
