"""A session of `toolaccord dev`: real files are saved, and a real server is replaced."""

import json
import os
import select
import signal
import socket
import subprocess
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import RemoteDisconnected
from pathlib import Path

import pytest

from tests.codegen.cli.servers.dev_session import (
    CONTRACT,
    HANDLER,
    HANDLERS,
    PATIENCE_S,
    SETTINGS,
    Dev,
    make_contract,
    running_dev,
    write_project,
)
from toolaccord_codegen.__main__ import main
from toolaccord_codegen.cli.dev.project import assign
from toolaccord_codegen.cli.servers.served import find_served, note_served


@pytest.fixture(scope="module")
def dev(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dev]:
    """A session, whose server each test leaves good."""
    folder = tmp_path_factory.mktemp("project")
    write_project(folder)
    with running_dev(folder) as session:
        session.wait_for("each save replaces the server")
        yield session


def test_the_first_lines_name_the_pages_and_a_ready_made_call(dev: Dev) -> None:
    title = dev.shown.index("books-mcp 0.1.0 serves contracts/acme/books.json")
    assert dev.shown[title + 1 : title + 4] == [
        f"  page  {dev.url}/",
        f"  MCP   {dev.url}/mcp",
        f"  call  toolaccord call --url {dev.url}/mcp search_books 'query=o'\"'\"'clock'",
    ]


def test_call_without_an_address_calls_what_dev_serves(
    dev: Dev, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(dev.folder)
    assert main(["call", "books.search_books", "query=u"]) == 0
    output, errors = capsys.readouterr()
    assert json.loads(output)["titles"] == dev.search()
    assert errors.startswith(f"books-mcp is called at {dev.url}/mcp, where `")


def test_a_server_whose_process_ended_is_not_found(tmp_path: Path) -> None:
    path = note_served(tmp_path, "acme/books", "http://localhost:8000/mcp")
    assert find_served(tmp_path, "acme/books") == "http://localhost:8000/mcp"
    assert find_served(tmp_path, "acme/films") is None
    ended = subprocess.Popen(["true"])
    ended.wait()
    path.write_text(json.dumps({"url": "http://localhost:8000/mcp", "pid": ended.pid}))
    assert find_served(tmp_path, "acme/books") is None
    path.write_text("{")
    assert find_served(tmp_path, "acme/books") is None


def test_a_printed_url_of_a_database_can_be_pasted_into_a_shell() -> None:
    url = "postgresql://dev@/shop?host=%2Ftmp&port=5432"
    script = f'{assign("DATABASE_URL", url)}; printf %s "$DATABASE_URL"'
    assert subprocess.run(["sh", "-c", script], capture_output=True, encoding="utf-8", check=True).stdout == url


def test_a_saved_contract_is_served(dev: Dev) -> None:
    dev.save(CONTRACT, make_contract("Find a book by a word"))
    assert (
        dev.wait_for(" replaced after ")[-1]
        .split("dev     ")[1]
        .startswith("books-mcp 0.1.0 replaced after contracts/acme/books.json (")
    )
    assert dev.description() == "Find a book by a word"


def test_a_fault_of_a_contract_shows_in_place_and_the_last_server_goes_on(dev: Dev) -> None:
    dev.save(CONTRACT, make_contract("Never served", transprots=["http"]))
    dev.wait_for("not replaced; the last good server goes on serving")
    shown = "\n".join(dev.wait_for("1 problem(s)"))
    assert 'contracts/acme/books.json:10:3: UNKNOWN_KEY: the key "transprots" is unknown' in shown
    assert ' 10 |   "transprots": [\n' in shown
    assert dev.description() != "Never served"
    dev.save(CONTRACT, make_contract("Served again"))
    assert "mended: books-mcp 0.1.0 replaced" in dev.wait_for(" replaced after ")[-1]
    assert dev.description() == "Served again"


def test_a_server_without_http_is_refused_with_the_key_to_change(dev: Dev) -> None:
    dev.save(CONTRACT, make_contract("Never served", transports=["stdio"]))
    refused = dev.wait_for("; the last good server goes on serving")[-1]
    assert f'{CONTRACT}: dev serves over HTTP, and "transports" has no "http"; add it' in refused
    dev.save(CONTRACT, make_contract("Served again"))
    dev.wait_for("mended: ")


def test_an_error_in_a_handler_shows_the_line_of_the_users_own_file(dev: Dev) -> None:
    before = dev.search()
    dev.save(HANDLERS, HANDLER + "\nimport json\njson.loads('{')\n")
    dev.wait_for("not replaced")
    shown = dev.wait_for("1 problem(s)")
    place = len(HANDLER.splitlines()) + 3
    assert shown[0].startswith(f"acme_handlers/acme/books.py:{place}:1: JSONDecodeError: Expecting property name")
    assert shown[1] == f" {place} | json.loads('{{')"
    assert "Traceback" not in "\n".join(dev.shown + dev.logged)
    dev.save(HANDLERS, HANDLER.replace("async def search_books", "async def find_books"))
    dev.wait_for("not replaced")
    assert "MISSING_HANDLER" in "\n".join(dev.wait_for("2 problem(s)"))
    assert dev.search() == before
    dev.save(HANDLERS, HANDLER)
    dev.wait_for("mended: ")
    assert dev.search() == ["Ulysses"]


def test_a_missing_setting_is_described_and_can_be_written_into_the_env_file(dev: Dev) -> None:
    shelf = {"env": "BOOKS_SHELF", "description": "where they stand", "required": True, "type": "integer"}
    dev.save(CONTRACT, make_contract(settings={"shelf": shelf}))
    assert "write BOOKS_SHELF=... into .env beside pyproject.toml, or export it" in dev.wait_for("write")[-1]
    assert "exit status 2; the last good server goes on serving" in dev.wait_for("goes on")[-1]
    assert "BOOKS_SHELF is required and not set: where they stand" in dev.wait_for_log("BOOKS_SHELF")
    dev.save(".env", "BOOKS_SHELF=7\n")
    dev.wait_for("mended: ")
    dev.save(CONTRACT, make_contract())
    dev.wait_for(" replaced after ")


def test_a_wrong_key_in_pyproject_is_reported_and_mended(dev: Dev) -> None:
    dev.save("pyproject.toml", SETTINGS + 'pakage = "other"\n')
    assert (
        'pyproject.toml:5: [tool.toolaccord] has no key "pakage"; did you mean "package"?'
        in dev.wait_for("goes on")[-1]
    )
    dev.save("pyproject.toml", SETTINGS)
    dev.wait_for("mended: ")


def test_a_call_in_flight_is_finished_by_the_old_server_and_no_other_is_dropped(dev: Dev, tmp_path: Path) -> None:
    gate, over = tmp_path / "gate", threading.Event()

    with ThreadPoolExecutor(3) as pool:
        waiting = pool.submit(dev.search, str(gate))
        dev.wait_for_log("at the gate")
        others = [pool.submit(dev.search_on, over) for _ in range(2)]
        dev.save(HANDLERS, HANDLER.replace('"Ulysses"', '"Dubliners"'))
        dev.wait_for(" replaced after ")
        assert dev.search() == ["Dubliners"]
        dev.save(HANDLERS, HANDLER)
        dev.wait_for(" replaced after ")
        assert dev.search() == ["Ulysses"]
        over.set()
        assert set().union(*(other.result(PATIENCE_S) for other in others)) == {"Ulysses", "Dubliners"}
        assert not waiting.done()
        gate.touch()
        assert waiting.result(PATIENCE_S) == ["Ulysses"]


def test_no_byte_code_is_written_that_a_save_of_the_same_second_and_size_would_load(dev: Dev) -> None:
    assert dev.search() == ["Ulysses"]
    assert not list(dev.folder.rglob("*.pyc"))


def test_a_pipe_gets_the_log_of_the_server_as_json(dev: Dev) -> None:
    dev.search()
    record = json.loads(dev.wait_for_log('"tool":"search_books"'))
    assert (record["message"], record["status"]) == ("call", "success")


def test_a_server_that_ends_by_itself_is_reported_and_starts_again_at_the_next_save(dev: Dev) -> None:
    dev.save(HANDLERS, HANDLER.replace("gate =", "import os; os._exit(7) #"))
    dev.wait_for(" replaced after ")
    with pytest.raises(RemoteDisconnected):
        dev.search()
    dev.wait_for("the server ended with exit status 7; the next save starts it again")
    dev.save(HANDLERS, HANDLER)
    dev.wait_for("mended: ")
    assert dev.search() == ["Ulysses"]


def test_ctrl_c_ends_dev_and_every_process_of_it(dev: Dev) -> None:
    address = dev.url.removeprefix("http://").rsplit(":", 1)
    processes = dev.descendants()
    assert len(processes) >= 2
    dev.process.send_signal(signal.SIGINT)
    assert dev.process.wait(PATIENCE_S) == 0
    assert not [pid for pid in processes if Path(f"/proc/{pid}").exists()]
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((address[0], int(address[1])))


def test_no_process_outlives_a_dev_that_is_killed(tmp_path: Path) -> None:
    write_project(tmp_path)
    with running_dev(tmp_path) as session:
        session.wait_for("each save replaces the server")
        output = [os.pidfd_open(pid) for pid in session.descendants()]
        session.process.kill()
        for each in output:
            assert select.select([each], [], [], PATIENCE_S)[0]
            os.close(each)


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        (["acme/boks"], 'toolaccord: there is no server acme/boks; did you mean "acme/books"?'),
        (["--contracts", "none"], "toolaccord: none has no contract: `toolaccord init SYSTEM/NAME` starts a project"),
    ],
)
def test_dev_ends_where_no_save_could_help(tmp_path: Path, arguments: list[str], sentence: str) -> None:
    write_project(tmp_path)
    with running_dev(tmp_path, *arguments) as dev:
        assert dev.process.wait(PATIENCE_S) == 2
    assert (
        dev.shown[-1]
        .replace("python -m toolaccord_codegen", "toolaccord")
        .replace("toolaccord_codegen: ", "toolaccord: ")
        == sentence
    )
