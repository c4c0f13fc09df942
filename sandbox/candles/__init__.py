"""Thirty days of one-minute candles in a SQLite file, which every process of this user shares and keeps up to date."""

import logging
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from urllib.parse import quote

from sandbox import chance, market, progress
from sandbox.cache import cache_directory
from sandbox.candles import minutes, store
from sandbox.errors import SandboxError
from sandbox.locks import EXCLUSIVE, NON_BLOCKING, SHARED, hold

SEED = 1
"""The same market as the strategies' signals."""

_LOG = logging.getLogger(__name__)


def utc_now() -> datetime:
    """The time, in UTC."""
    return datetime.now(UTC)


@contextmanager
def serve(*, home: Path | None = None, now: Callable[[], datetime] = utc_now) -> Iterator[str]:
    """The URL of the file with the candles of the 30 days up to the running minute; a thread adds each new minute.

    Without *home*, in the user's cache directory. The first time takes some seconds. Raises SandboxError.
    """
    home = home or cache_directory() / "candles"
    path = home / f"{version()}.sqlite"
    with ExitStack() as use:
        try:
            home.mkdir(mode=0o700, parents=True, exist_ok=True)
            with hold(home / "start.lock"), progress.step("Preparing the sandbox's candles"):
                _remove_outdated(home, path)
                store.bring(path, SEED, now())
                use.enter_context(hold(_users(path), SHARED))
        except (OSError, sqlite3.Error) as exc:
            raise SandboxError(f"The sandbox's candles cannot be kept in {home}: {exc}") from exc
        over = threading.Event()
        thread = threading.Thread(target=_keep, args=(path, now, over), name="sandbox candles", daemon=True)
        thread.start()
        try:
            yield f"sqlite://{quote(str(path))}"
        finally:
            over.set()
            thread.join()


def version() -> str:
    """What changes when the code that the candles are made by changes."""
    sources = (chance.__file__, market.__file__, minutes.__file__, store.__file__)
    return sha256(b"\0".join(Path(source).read_bytes() for source in sources)).hexdigest()[:16]


def _keep(path: Path, now: Callable[[], datetime], over: threading.Event) -> None:
    """Add each minute when it begins; of several processes the first one does."""
    while not over.wait(60 - now().timestamp() % 60):
        try:
            store.bring(path, SEED, now())
        except (OSError, sqlite3.Error):
            _LOG.warning("the sandbox's candles could not be brought up to date", exc_info=True)


def _remove_outdated(home: Path, path: Path) -> None:
    """Remove the files of other versions that no process uses."""
    for old in home.glob("*.sqlite"):
        if old != path:
            with suppress(BlockingIOError), hold(_users(old), EXCLUSIVE | NON_BLOCKING):
                for part in (old, Path(f"{old}-wal"), Path(f"{old}-shm"), _users(old)):
                    part.unlink(missing_ok=True)


def _users(path: Path) -> Path:
    """The lock that every process that uses *path* shares."""
    return path.with_suffix(".users")
