"""A PostgreSQL server that several processes share.

It stops when the last of them has ended or was killed. The server's folder has three lock files. `fcntl.flock`
holds them, since the kernel releases such a lock with its holder, and a child can inherit it. filelock has neither
shared locks nor inheritance.

- `users.lock` is shared by every user. A `flock` process waits to hold it alone, and then runs `pg_ctl stop`.
- `start.lock` lets one process start or stop the server at a time. `initdb` and `pg_ctl start` inherit it, so that a
  starter that is killed leaves no half-started server behind.
- `server.lock` is inherited by the server's own processes. While one of them lives, `postmaster.pid` is not stale.
"""

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote

from toolaccord.testing import progress
from toolaccord.testing.postgresql import binaries
from toolaccord.testing.postgresql.account import Account, choose
from toolaccord.testing.postgresql.errors import ClusterError
from toolaccord.testing.postgresql.locks import SHARED, hold

USER = "app"
PORT = 5432
SOCKET = f".s.PGSQL.{PORT}"
INITDB = ("-U", USER, "--auth-local=trust", "--auth-host=reject", "--encoding=UTF8", "--locale=C.UTF-8")
SETTINGS = (
    f"-c listen_addresses= -c unix_socket_directories=. -c port={PORT} -c timezone=UTC -c log_timezone=UTC -c jit=off"
    " -c shared_buffers=32MB -c synchronous_commit=off -c wal_level=minimal -c max_wal_senders=0"
)
TEMPORARY_SETTINGS = " -c fsync=off -c full_page_writes=off -c autovacuum=off"
"""Settings of a server that need not survive a crash and whose query plans are stable."""
START = ("pg_ctl", "start", "-D", "data", "-l", "log", "-o")
STOP = ("pg_ctl", "stop", "-D", "data", "-m", "fast")
_OPTIONS = "&sslmode=disable&target_session_attrs=any"
"""Options of each URL, for which clients read PGSSLMODE and PGTARGETSESSIONATTRS otherwise."""
UTIL_LINUX = ("flock", "setsid")


@dataclass(frozen=True, slots=True)
class Cluster:
    """A running PostgreSQL; it listens on a Unix socket in its data directory only."""

    data: Path
    """The data directory, which only its owner can enter."""

    def url(self, database: str = "postgres") -> str:
        """Return the URL of *database*, which need not exist."""
        folder = quote(str(self.data), safe="")
        return f"postgresql://{USER}@/{quote(database, safe='')}?host={folder}&port={PORT}{_OPTIONS}"


@contextmanager
def running(home: Path | None = None) -> Iterator[Cluster]:
    """Yield the PostgreSQL with its files in *home*, started unless another process uses it.

    Without *home*, in the user's cache directory. Blocks until it answers: about 0.8 s the first time, 10 ms if it
    runs. Creates no user, and changes no directory's mode. Raises ClusterError.
    """
    folder = binaries.find()
    home = home or _cache_directory() / f"postgresql-{binaries.major_version(folder)}"
    with _Server(home, folder, choose()).used() as cluster:
        yield cluster


@contextmanager
def temporary() -> Iterator[Cluster]:
    """Yield a PostgreSQL of this process alone, removed at the end. Raises ClusterError."""
    with TemporaryDirectory(prefix="toolaccord-", ignore_cleanup_errors=True) as home:
        server = _Server(Path(home), binaries.find(), choose(), is_temporary=True)
        with server.used() as cluster:
            try:
                yield cluster
            finally:
                server.stop()


def _cache_directory() -> Path:
    """Return toolaccord's folder in the user's cache, by the XDG Base Directory Specification."""
    configured = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (configured if configured.is_absolute() else Path.home() / ".cache") / "toolaccord"


@dataclass(frozen=True, slots=True)
class _Server:
    home: Path
    binaries: Path
    account: Account
    is_temporary: bool = False

    @property
    def data(self) -> Path:
        return self.home / "data"

    @property
    def log(self) -> Path:
        return self.home / "log"

    @contextmanager
    def used(self) -> Iterator[Cluster]:
        """Keep the server running meanwhile. Raises ClusterError."""
        if missing := [name for name in UTIL_LINUX if shutil.which(name) is None]:
            raise ClusterError(f"This PostgreSQL needs Linux and its {' and '.join(missing)} (util-linux).")
        with ExitStack() as use:
            try:
                self.home.mkdir(mode=0o700, parents=True, exist_ok=True)
                with progress.step("Starting PostgreSQL"):
                    use.enter_context(hold(self.home / "users.lock", SHARED))
                    with hold(self.home / "start.lock") as start_lock:
                        if not self._answers():
                            self._start(start_lock)
            except OSError as exc:
                raise ClusterError(f"PostgreSQL cannot start in {self.home}: {exc}") from exc
            yield Cluster(self.data)

    def stop(self) -> None:
        """Stop the server, and return when it has ended."""
        self._run(self._command(*STOP))

    def _answers(self) -> bool:
        with socket.socket(socket.AF_UNIX) as client:
            return client.connect_ex(os.fspath(self.data / SOCKET)) == 0

    def _start(self, start_lock: int) -> None:
        with hold(self.home / "server.lock") as server_lock:  # free once a killed server's last process has ended
            self.log.unlink(missing_ok=True)
            self._stop_after_last_user()
            if not self.data.exists():
                self._initialise(start_lock)
            for stale in (self.data / "postmaster.pid", *self.data.glob(f"{SOCKET}*")):
                stale.unlink(missing_ok=True)
            settings = SETTINGS + (TEMPORARY_SETTINGS if self.is_temporary else "")
            # pg_ctl holds the start lock as its standard input, which the server does not inherit.
            self._run(self._command(*START, settings), stdin=start_lock, pass_fds=[server_lock])

    def _initialise(self, start_lock: int) -> None:
        """Make the data directory under another name, so that one of its own name is complete."""
        unfinished = self.home / "data.new"
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(mode=0o700)
        self.account.own(unfinished)
        durability = ["--no-sync"] if self.is_temporary else []
        self._run(self._command("initdb", "-D", unfinished.name, *INITDB, *durability), stdin=start_lock)
        unfinished.rename(self.data)

    def _stop_after_last_user(self) -> None:
        """Start a detached process that stops the server, and removes a temporary one, at the end."""
        stopping = self._command(*STOP)
        if self.is_temporary:
            stopping = ["sh", "-c", '"$@"; rm -rf -- "$0"', os.fspath(self.home), *stopping]
        self._run(["setsid", "--fork", "flock", "users.lock", "flock", "start.lock", *stopping])

    def _command(self, program: str, *arguments: str) -> list[str]:
        return [*self.account.prefix, os.fspath(self.binaries / program), *arguments]

    def _run(self, command: Sequence[str], stdin: int = subprocess.DEVNULL, pass_fds: Sequence[int] = ()) -> None:
        """Run *command* to its end; its output goes to the log. Raises ClusterError."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
        # Not a pipe: it would break when this process is killed, and pg_ctl would end before the server has started.
        with self.log.open("a+", encoding="utf-8", errors="replace") as log:
            ended = subprocess.run(
                command,
                cwd=self.home,
                env=environment,
                stdin=stdin,
                stdout=log,
                stderr=log,
                pass_fds=pass_fds,
                start_new_session=True,
                check=False,
            )
            if ended.returncode != 0:
                log.seek(0)
                raise ClusterError(f"PostgreSQL in {self.home} failed:\n{''.join(log.readlines()[-10:])}")
