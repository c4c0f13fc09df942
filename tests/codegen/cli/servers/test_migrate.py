"""The command `migrate`, on this repository's systems and on a project of its own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sandbox.tradestream.database import SCHEMA
from tests.conftest import NewDatabase
from tests.contracts.shipped import GENERATED, belongs_to_others
from toolaccord.server.databases import Application
from toolaccord_codegen.__main__ import main

STEPS = [str(step) for step in SCHEMA.read_migrations()]


@pytest.fixture(autouse=True)
def shipped_servers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide the servers of others from the command, where this repository's are migrated."""
    list_systems, list_servers = Application.list_systems, Application.list_servers

    def is_hidden(application: Application, system: str, name: str) -> bool:
        return application.package == "generated" and belongs_to_others(GENERATED / system / name)

    monkeypatch.setattr(
        Application,
        "list_servers",
        lambda self, system: [name for name in list_servers(self, system) if not is_hidden(self, system, name)],
    )
    monkeypatch.setattr(
        Application, "list_systems", lambda self: [system for system in list_systems(self) if self.list_servers(system)]
    )


@pytest.fixture
def url(monkeypatch: pytest.MonkeyPatch, empty_postgres_url: str) -> str:
    monkeypatch.setenv("DATABASE_URL", empty_postgres_url)
    monkeypatch.delenv("RISK_DATABASE_URL", raising=False)
    return empty_postgres_url


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, list[str], str]:
    """Return the exit status, the lines of the output, and standard error."""
    status = main(["migrate", *arguments])
    captured = capsys.readouterr()
    return status, captured.out.splitlines(), captured.err


@pytest.mark.usefixtures("url")
def test_it_applies_what_is_missing_and_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    tried = [f"would apply {step}" for step in STEPS]
    note = f"nothing was changed: {len(STEPS)} files ran in one transaction, which was rolled back"
    assert run(capsys, "tradestream", "--dry-run") == (0, [*tried, note], "")
    assert run(capsys, "tradestream") == (0, [f"applied {step}" for step in STEPS], "")
    nothing = f"tradestream: nothing to do, {len(STEPS)} migrations in place (DATABASE_URL)"
    assert run(capsys, "tradestream/decisions", "--dry-run") == (0, [nothing], "")


def test_another_variable_may_name_the_database(
    url: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OWNER_URL", url)
    monkeypatch.setenv("DATABASE_URL", "postgresql://nobody@127.0.0.1:9/nothing")
    status, lines, _ = run(capsys, "platform", "--database-env", "OWNER_URL")
    assert (status, lines) == (0, ["applied platform/0001_risk.sql"])


def test_the_env_file_of_the_project_may_name_the_database(
    empty_postgres_url: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DATABASE_URL", raising=False)
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / ".env").write_text(f"DATABASE_URL={empty_postgres_url}\n")
    monkeypatch.chdir(tmp_path)
    assert run(capsys, "tradestream", "--dry-run")[1][:-1] == [f"would apply {step}" for step in STEPS]


@pytest.mark.usefixtures("url")
def test_the_files_before_one_that_fails_are_reported(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for name, sql in (("0001_good", "CREATE TABLE good (id int)"), ("0002_bad", "SELECT\n  1 / 0 / nothing")):
        (tmp_path / f"{name}.sql").write_text(sql)
    status, lines, error = run(capsys, "platform", "--migrations", str(tmp_path), "--database-env", "DATABASE_URL")
    assert (status, lines) == (1, ["applied platform/0001_good.sql"])
    reason = 'column "nothing" does not exist'
    assert error == f"platform/0002_bad.sql:2 failed, and was rolled back: {reason}\n"


def test_all_systems_may_share_a_database(
    url: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RISK_DATABASE_URL", url)
    status, lines, _ = run(capsys)
    assert (status, lines) == (0, [f"applied {step}" for step in ["platform/0001_risk.sql", *STEPS]])


def test_two_processes_may_migrate_at_once(new_database: NewDatabase) -> None:
    with new_database() as url:
        command = [sys.executable, "-m", "toolaccord_codegen", "migrate", "tradestream"]
        environment = os.environ | {"DATABASE_URL": url}
        processes = [subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) for _ in range(2)]
        outputs = [process.communicate()[0] for process in processes]
    assert [process.returncode for process in processes] == [0, 0]
    for step in STEPS:
        assert "".join(outputs).count(f"applied {step}\n") == 1


def test_the_folder_of_a_systems_migrations_is_a_setting(
    url: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "platform").mkdir()
    (tmp_path / "platform/1.sql").write_text("CREATE TABLE mine (id int)")
    arguments = ("platform", "--database-env", "DATABASE_URL", "--migrations")
    assert run(capsys, *arguments, f"{tmp_path}/{{system}}") == (0, ["applied platform/1.sql"], "")
    status, _, message = run(capsys, *arguments, f"{tmp_path}/nowhere")
    assert (status, message) == (1, f"platform has no migrations: there is no folder {tmp_path}/nowhere.\n")
    monkeypatch.setenv("RISK_DATABASE_URL", url)
    status, _, message = run(capsys, "--migrations", str(tmp_path))
    assert status == 2
    assert f"platform, tradestream would share the folder {tmp_path}; write {{system}} in the path" in message


@pytest.mark.usefixtures("url")
def test_a_system_without_migrations_is_left_out_unless_it_is_named(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "tradestream").mkdir()
    (tmp_path / "tradestream/1.sql").write_text("CREATE TABLE mine (id int)")
    status, lines, _ = run(capsys, "--migrations", f"{tmp_path}/{{system}}")
    assert (status, lines) == (0, [f"applied {STEPS[0]}", "applied tradestream/1.sql"])


@pytest.mark.usefixtures("url")
@pytest.mark.parametrize(
    "arguments, message",
    [
        (("shop",), "there is no system shop; generated has "),
        (("platform/shop",), "there is no server platform/shop; generated has platform/"),
        (("moex",), "moex has no server with a source of kind postgresql and migrations"),
        (("platform",), "RISK_DATABASE_URL is missing: the PostgreSQL to migrate, postgresql://user@host/database"),
        (("--database-env", "X"), "--database-env is for one database, and there are 2: name a system"),
        (("--package", "nothing.here"), "`toolaccord generate` writes nothing.here, or name it with --package"),
    ],
)
def test_a_command_that_cannot_run_says_why(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], message: str
) -> None:
    status, lines, error = run(capsys, *arguments)
    assert (status, lines) == (2, [])
    assert message in error


@pytest.mark.parametrize(
    "address, status, message",
    [
        ("mysql://app:hidden@127.0.0.1/x", 2, "DATABASE_URL must be a URL that begins with postgresql://"),
        ("postgresql://app:hidden@127.0.0.1:1/x", 1, "The database that DATABASE_URL names does not answer: "),
    ],
)
def test_a_database_that_does_not_answer_is_one_line_without_the_password(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], address: str, status: int, message: str
) -> None:
    monkeypatch.setenv("DATABASE_URL", address)
    found, lines, error = run(capsys, "tradestream")
    assert (found, lines) == (status, [])
    assert message in error
    assert "hidden" not in error
    assert len(error.splitlines()) == 1
