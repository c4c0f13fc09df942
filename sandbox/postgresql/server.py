"""The life of one PostgreSQL: several processes share it, and it ends with the last of them, even one that is killed.

Three locks carry this, since the kernel releases them however a process ends. `start.lock`: one starts at a time.
`users.lock`: each user shares it; a detached keeper waits to have it alone, and then stops the server.
`server.lock`: held by every process of the server itself, so that no leftover file is taken for a live server.
"""

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from urllib.parse import quote

from sandbox import progress
from sandbox.errors import SandboxError
from sandbox.postgresql import binaries, locks
from sandbox.postgresql.account import Account, cache_directory, choose, reachable

USER = "app"
PORT = 5432
SOCKET = f".s.PGSQL.{PORT}"
LONGEST_SOCKET_PATH = 107
"""Bytes; Linux has room for 108 with the closing zero."""

KEEPER = """
exec 8<&0 9<"$1" 0</dev/null
doomed=$2
shift 2
(
  "$@" 9<&- &
  server=$!
  exec 8<&-
  flock -x 9
  kill -INT "$server"
  wait "$server"
  test -z "$doomed" || rm -rf -- "$doomed"
) &
"""
"""Arguments: the users' lock, a directory to remove at the end or nothing, the server's command line.

Standard input is the server's lock, which the server inherits. The keeper holds the users' lock until the server has
ended, so that whoever comes meanwhile waits, and starts anew.
"""

ENDS_WITH_KEEPER = ("setpriv", "--pdeathsig", "INT", "--")
"""Should the keeper be killed, the server stops by itself."""

SETTINGS = {
    "listen_addresses": "",
    "port": str(PORT),
    "timezone": "UTC",
    "log_timezone": "UTC",
    "jit": "off",
    "shared_buffers": "32MB",
    "synchronous_commit": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
}
THROW_AWAY_SETTINGS = {"fsync": "off", "full_page_writes": "off"}


@dataclass(frozen=True, slots=True)
class Cluster:
    """A running PostgreSQL, reached by a socket in a directory of its own; it listens on no network."""

    sockets: Path

    def url(self, database: str = "postgres") -> str:
        """The URL of *database*, which need not exist."""
        return f"postgresql://{USER}@/{quote(database, safe='')}?host={quote(str(self.sockets), safe='')}&port={PORT}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The directory of one cluster, and how it is run."""

    home: Path
    binaries: Path
    account: Account
    throw_away: bool

    @property
    def data(self) -> Path:
        """The data directory."""
        return self.home / "data"

    @property
    def log(self) -> Path:
        """What PostgreSQL said since it was started."""
        return self.home / "log"

    def lock(self, name: str) -> Path:
        """The path of the lock *name*."""
        return self.home / f"{name}.lock"


@contextmanager
def running(home: Path | None = None) -> Iterator[Cluster]:
    """The PostgreSQL that lives in *home*, shared with every other process that asks for it.

    Without *home*, in the user's cache directory. Blocks until it answers: about 0.7 s the first time, 30 ms if it
    runs. Creates no user, changes no directory's mode, and leaves nothing running. Raises SandboxError.
    """
    account = choose()
    found = binaries.find()
    default = cache_directory(account) / f"postgresql-{binaries.version(found).partition('.')[0]}"
    with _used(Place(home=home or default, binaries=found, account=account, throw_away=False)) as cluster:
        yield cluster


@contextmanager
def throw_away() -> Iterator[Cluster]:
    """A PostgreSQL of this process alone, without a thought for power cuts; its files are gone at the end."""
    account = choose()
    home = Path(tempfile.mkdtemp(prefix="toolpact-"))
    if account.owner is not None:
        home.chmod(0o711)
    try:
        with _used(Place(home=home, binaries=binaries.find(), account=account, throw_away=True)) as cluster:
            yield cluster
    except SandboxError:
        shutil.rmtree(home, ignore_errors=True)
        raise
    for _ in locks.waiting(f"{home} was not removed"):
        if not home.exists():
            break


@contextmanager
def _used(place: Place) -> Iterator[Cluster]:
    with ExitStack() as use:
        try:
            place.home.mkdir(mode=0o700 if place.account.owner is None else 0o711, parents=True, exist_ok=True)
            with locks.exclusive(place.lock("start")), progress.step("Starting the sandbox's PostgreSQL"):
                use.enter_context(locks.shared(place.lock("users")))
                sockets = _socket_directory(place)
                _ensure_ready(place, sockets)
        except OSError as exc:
            raise SandboxError(f"The sandbox's PostgreSQL cannot start in {place.home}: {exc}") from exc
        yield Cluster(sockets)


def _socket_directory(place: Place) -> Path:
    """A private directory whose path leaves room for a socket's name."""
    directory = place.home / "run"
    if len(os.fsencode(directory / SOCKET)) > LONGEST_SOCKET_PATH:
        # Not tempfile.gettempdir(): processes with another TMPDIR must find the same server.
        directory = Path("/tmp") / f"toolpact-{os.geteuid()}-{sha256(os.fsencode(place.home)).hexdigest()[:16]}"  # noqa: S108
    with suppress(FileExistsError):
        directory.mkdir(mode=0o700)
        place.account.give(directory)
    found = directory.lstat()
    if found.st_uid not in {os.geteuid(), place.account.owner} or found.st_mode & 0o170077 != 0o040000:
        raise SandboxError(f"{directory} belongs to somebody else, or others can read it; remove it.")
    return directory


def _ensure_ready(place: Place, sockets: Path) -> None:
    launched = False
    for _ in locks.waiting(f"PostgreSQL in {place.home} was not ready"):
        lock = locks.attempt(place.lock("server"))
        if lock is None:
            if _is_ready(place.data, sockets):
                return
            continue
        try:
            if launched:
                raise SandboxError(f"PostgreSQL ended while it started; {place.log} says:\n{_last_words(place.log)}")
            _launch(place, sockets, lock)
            launched = True
        finally:
            os.close(lock)


def _is_ready(data: Path, sockets: Path) -> bool:
    """Whether the server takes connections: pg_ctl's way, the eighth line of the server's own file, and then by trying.

    A killed server leaves that line behind, and processes that need a moment to notice.
    """
    try:
        lines = (data / "postmaster.pid").read_text(encoding="utf-8").splitlines()
        if len(lines) < 8 or lines[7].strip() != "ready":
            return False
        with socket.socket(socket.AF_UNIX) as caller:
            caller.connect(os.fspath(sockets / SOCKET))
    except (FileNotFoundError, ConnectionRefusedError):
        return False
    return True


def _launch(place: Place, sockets: Path, lock: int) -> None:
    """Start server and keeper; *lock* says that no process of an earlier server is left."""
    place.log.unlink(missing_ok=True)
    for leftover in (place.data / "postmaster.pid", *sockets.glob(f"{SOCKET}*")):
        leftover.unlink(missing_ok=True)
    folder = place.binaries
    if place.account.owner is not None:
        folder = reachable(folder, place.account, place.home / f"binaries-{binaries.version(folder)}")
    if not place.data.exists():
        _initialise(place, folder, lock)
    settings = SETTINGS | (THROW_AWAY_SETTINGS if place.throw_away else {})
    settings["unix_socket_directories"] = '"' + str(sockets).replace('"', '""') + '"'
    chosen = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
    server: list[str | Path] = [folder / "postgres", "-D", place.data]
    command = [*place.account.prefix, *ENDS_WITH_KEEPER, *server, *chosen]
    doomed = place.home if place.throw_away else ""
    _run(place, ["sh", "-c", KEEPER, "keeper", place.lock("users"), doomed, *command], lock)


def _initialise(place: Place, folder: Path, lock: int) -> None:
    """Make the data directory; one that is there is whole."""
    begun = place.home / "data.new"
    shutil.rmtree(begun, ignore_errors=True)
    begun.mkdir(mode=0o700)
    place.account.give(begun)
    how = ["-U", USER, "--auth-local=trust", "--auth-host=reject", "--encoding=UTF8", "--locale=C.UTF-8"]
    fast = ["--no-sync"] if place.throw_away else []
    if _run(place, [*place.account.prefix, folder / "initdb", "-D", begun, *how, *fast], lock) != 0:
        raise SandboxError(f"PostgreSQL's initdb failed:\n{_last_words(place.log)}")
    begun.rename(place.data)


def _run(place: Place, command: list[str | Path], lock: int) -> int:
    """The exit code of *command*, which inherits the server's lock and writes to the log."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
    with place.log.open("ab") as log:
        return subprocess.run(
            command,
            stdin=lock,
            stdout=log,
            stderr=subprocess.STDOUT,
            env=environment,
            cwd="/",
            start_new_session=True,
            check=False,
        ).returncode


def _last_words(log: Path) -> str:
    return "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-10:])
