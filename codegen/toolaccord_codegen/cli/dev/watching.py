"""Notices saved files of a project."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from pathlib import Path

from watchfiles import Change, DefaultFilter, awatch

_STEP_MS = 30
"""Milliseconds without another change after which changes count as one save."""
_IGNORED = {"build", "dist", "node_modules", "tests"}
"""Names of folders in the project's own that a server imports nothing from."""
_SUFFIXES = {".py", ".html", ".json", ".proto", ".sql", ".toml", ".yaml", ".yml"}
_ROOT_FILES = {"pyproject.toml", ".env"}
_WRITTEN = "contract.schema.json"
"""The file in the contracts folder that is generated."""


class Saves:
    """Saved files of a project, collected until they are taken."""

    def __init__(self, root: Path, contracts: Path, output: Path) -> None:
        """Watch the files and the folders of *root*, and *contracts*, but never *output*."""
        self._root = root
        self._contracts = contracts
        self._output = output
        self._changed: set[Path] = set()
        self._event = asyncio.Event()
        self._stopping = asyncio.Event()

    async def watch(self) -> None:
        """Collect saved files until `stop`."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._collect([self._root], recursive=False))
            group.create_task(self._collect(self.list_folders(), recursive=True))

    def stop(self) -> None:
        """End `watch` within a tenth of a second; its threads cannot be cancelled."""
        self._stopping.set()

    async def wait(self) -> None:
        """Return once there is a saved file."""
        await self._event.wait()

    def take(self) -> set[Path]:
        """Return the files saved since the last call."""
        changed, self._changed = self._changed, set()
        self._event.clear()
        return changed

    async def _collect(self, folders: Iterable[Path], *, recursive: bool) -> None:
        async for changes in awatch(
            *folders,
            watch_filter=_Filter(self),
            step=_STEP_MS,
            stop_event=self._stopping,
            recursive=recursive,
            ignore_permission_denied=True,
        ):
            self._changed |= {Path(path) for _, path in changes}
            self._event.set()

    def list_folders(self) -> list[Path]:
        """Return the contracts folder, and those of the project that may hold modules."""
        folders = [each for each in self._root.iterdir() if each.is_dir() and not self.is_ignored(each)]
        return sorted({*folders, self._contracts})

    def is_ignored(self, folder: Path) -> bool:
        """Return whether a folder of the project holds nothing that a server reads, or only output."""
        hidden = folder.name.startswith((".", "__")) or folder.name in _IGNORED or folder == self._output
        return hidden or (folder / "pyvenv.cfg").exists()

    def is_relevant(self, path: Path) -> bool:
        """Return whether a server may read the file at *path*."""
        if path.is_relative_to(self._output):
            return False
        if path.is_relative_to(self._contracts):
            return path.name != _WRITTEN
        if path.parent == self._root and path.suffix != ".py":
            return path.name in _ROOT_FILES
        return path.suffix in _SUFFIXES


class _Filter(DefaultFilter):
    """Leaves out backup files of editors, byte code, and what no server reads."""

    def __init__(self, saves: Saves) -> None:
        super().__init__()
        self._saves = saves

    def __call__(self, change: Change, path: str) -> bool:
        """Return whether a change counts."""
        return super().__call__(change, path) and self._saves.is_relevant(Path(path))
