"""Thirty days of one-minute candles in a SQLite file, shared by a user's processes."""

import logging
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from urllib.parse import quote

from sandbox import market, progress, seeded_random
from sandbox.cache import cache_directory
from sandbox.candles import minutes, store
from sandbox.errors import SandboxError
from sandbox.locks import EXCLUSIVE, NON_BLOCKING, SHARED, hold

SEED = 1
"""The seed of the market that the strategies' signals follow as well."""

_LOG = logging.getLogger(__name__)


def _utc_now() -> datetime:
    """Return the time in UTC."""
    return datetime.now(UTC)


@contextmanager
def serve(*, home: Path | None = None, now: Callable[[], datetime] = _utc_now) -> Iterator[str]:
    """Yield the URL of the candles of the last 30 days; a thread adds each new minute.

    Without *home*, in the user's cache directory. The first time takes some seconds. Raises SandboxError.
    """
    home = home or cache_directory() / "candles"
    path = home / f"{version()}.sqlite"
    with ExitStack() as use:
        try:
            home.mkdir(mode=0o700, parents=True, exist_ok=True)
            with hold(home / "start.lock"), progress.step("Preparing the sandbox's candles"):
                _remove_outdated(home, path)
                store.update(path, SEED, now())
                use.enter_context(hold(_users(path), SHARED))
        except (OSError, sqlite3.Error) as exc:
            raise SandboxError(f"The sandbox's candles cannot be stored in {home}: {exc}") from exc
        stopping = threading.Event()
        thread = threading.Thread(
            target=_update_each_minute, args=(path, now, stopping), name="sandbox candles", daemon=True
        )
        thread.start()
        try:
            yield f"sqlite://{quote(str(path))}"
        finally:
            stopping.set()
            thread.join()


def version() -> str:
    """Return the hash of the code that makes the candles."""
    sources = (seeded_random.__file__, market.__file__, minutes.__file__, store.__file__)
    return sha256(b"\0".join(Path(source).read_bytes() for source in sources)).hexdigest()[:16]


def _update_each_minute(path: Path, now: Callable[[], datetime], stopping: threading.Event) -> None:
    """Add each minute when it begins, unless another process was first."""
    while not stopping.wait(60 - now().timestamp() % 60):
        try:
            store.update(path, SEED, now())
        except (OSError, sqlite3.Error):
            _LOG.warning("the sandbox's candles could not be brought up to date", exc_info=True)


def _remove_outdated(home: Path, path: Path) -> None:
    """Remove the files of other versions of the code that no process uses."""
    for old in home.glob("*.sqlite"):
        if old != path:
            with suppress(BlockingIOError), hold(_users(old), EXCLUSIVE | NON_BLOCKING):
                for part in (old, Path(f"{old}-wal"), Path(f"{old}-shm"), _users(old)):
                    part.unlink(missing_ok=True)


def _users(path: Path) -> Path:
    """Return the lock file that all users of *path* share."""
    return path.with_suffix(".users")
