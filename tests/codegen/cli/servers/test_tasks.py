"""Tasks from the shell: started, followed, left running, found again and cancelled."""

import asyncio
import json
import signal
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.codegen.cli.servers.test_call import Shell
from tests.codegen.cli.terminal import PROGRAM, terminal
from tests.toolaccord.client.foreign_kitchen import Kitchen, to_result
from tests.toolaccord.listener import listening
from tests.toolaccord.process import ROOT, handled_signals

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(capsys)


@pytest.fixture
def kitchen() -> Kitchen:
    return Kitchen()


@pytest.fixture
async def url(kitchen: Kitchen, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[str]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    async with kitchen.listening() as port:
        yield f"http://127.0.0.1:{port}/mcp"


async def test_a_task_of_a_server_ends_as_its_call(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    async with listening(module="tests.toolaccord.demo.jobs") as server:
        at = ("call", "--url", f"http://127.0.0.1:{server.port}/mcp", "--task")
        status, output, errors = await shell(*at, "count", "to=4")
        assert (status, json.loads(output), errors) == (0, {"sum": 10}, "")
        status, output, errors = await shell(*at, "count", "to=13")
        assert (status, json.loads(output)["error"]["code"]) == (1, "UNLUCKY")
        status, output, errors = await shell(*at, "count", "to=1000")
        assert (status, json.loads(output)["code"], errors.partition(":")[0]) == (1, -32603, "-32603")
        status, _, errors = await shell(*at[:-1], "pay", "amount=1")
        assert (status, errors.splitlines()[0].endswith("; pass --task")) == (1, True)


async def test_a_call_that_is_answered_at_once_needs_no_task(shell: Shell, url: str, kitchen: Kitchen) -> None:
    status, output, _ = await shell("call", "--url", url, "--task", "bake", "cake=biscuit")
    assert (status, json.loads(output), kitchen.tasks) == (0, {"data": {"cake": "biscuit"}}, {})


async def test_ctrl_c_outside_a_terminal_leaves_a_task_that_is_found_again(
    shell: Shell, url: str, kitchen: Kitchen
) -> None:
    command = (*PROGRAM, "call", "--url", url, "--task", "bake", "cake=gateau")
    with handled_signals():
        process = await asyncio.create_subprocess_exec(
            *command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
    await kitchen.arrived("tasks/get")
    process.send_signal(signal.SIGINT)
    output, errors = await process.communicate()
    shown = (
        f"the task is left running; come back with\n  python -m toolaccord_codegen tasks get --wait --url {url} id-1\n"
    )
    assert (process.returncode, output, errors.decode()) == (4, b"", shown)

    at = ("tasks", "get", "--url", url, "id-1")
    kitchen.task.update(statusMessage="stirring", _meta={"progress": {"progress": 1, "total": 4}})
    status, output_, errors_ = await shell(*at)
    state = json.loads(output_)
    assert (status, state["status"], state["progress"], errors_) == (4, "working", {"done": 1, "total": 4}, "")
    assert "id-1" not in output_
    waiting = asyncio.create_task(shell(*at, "--wait"))
    await kitchen.arrived("tasks/get", len(kitchen.of("tasks/get")) + 1)
    kitchen.complete({"cake": "gateau"})
    status, output_, _ = await waiting
    assert (status, json.loads(output_)) == (0, {"data": {"cake": "gateau"}})


async def test_other_ends_of_a_task_have_the_status_1(shell: Shell, url: str, kitchen: Kitchen) -> None:
    calling = asyncio.create_task(shell("call", "--url", url, "--task", "bake", "cake=gateau"))
    await kitchen.arrived("tasks/get")
    status, output, _ = await shell("tasks", "cancel", "--url", url, "--", "id-1")
    ended, more, _ = await calling  # both write to one place
    assert (status, ended) == (0, 1)
    assert {"cancelled", '  "message": "The task was cancelled."'} <= {*(output + more).splitlines()}
    kitchen.task.update(status="failed", error={"code": -32000, "message": "burnt"})
    status, output, errors = await shell("tasks", "get", "--url", url, "id-1")
    assert (status, errors, json.loads(output)) == (1, "-32000: burnt\n", {"code": -32000, "message": "burnt"})
    body = {"error": {"code": "OVEN_BROKEN", "message": "cold"}}
    kitchen.task.update(status="completed", result=to_result(body, isError=True))
    status, output, errors = await shell("tasks", "get", "--url", url, "id-1")
    assert (status, errors, json.loads(output)) == (1, "OVEN_BROKEN: cold\n", body)


async def test_commands_without_a_task_or_a_server_say_so(shell: Shell, url: str) -> None:
    for command in "get", "cancel":
        fault = await shell.fault("tasks", command, "--url", url, "id-9")
        assert fault == "There is no such task: it has expired, or belongs to another caller."
        assert await shell.fault("tasks", command, "id-9") == "name the server of the task, or pass --url"
        fault = await shell.fault("tasks", command, "books", "id-9", "--url", url)
        assert fault == "books is a server of the project; leave it out with --url and --command"


async def test_a_terminal_shows_progress_and_ctrl_c_asks_what_to_do(url: str, kitchen: Kitchen) -> None:
    with terminal("call", "--url", url, "--task", "bake", "cake=gateau") as person:
        await person.shows("working")
        kitchen.task.update(statusMessage="stirring", _meta={"progress": {"progress": 1, "total": 4}})
        await person.shows("working: stirring")
        await person.shows("25%")
        await person.press_ctrl_c()
        await person.shows("c cancels the task, anything else leaves it running")
        await person.type("c\n")
        assert (await person.end(), kitchen.task["status"]) == (1, "cancelled")
        assert "The task was cancelled: stirring" in person.shown


@pytest.mark.parametrize("key", ["\n", None])
async def test_a_person_can_leave_a_task_running(url: str, kitchen: Kitchen, key: str | None) -> None:
    with terminal("call", "--url", url, "--task", "bake", "cake=gateau") as person:
        await person.shows("working")
        await person.press_ctrl_c()
        await person.shows("leaves it running: ")
        await (person.press_ctrl_c() if key is None else person.type(key))
        assert (await person.end(), kitchen.task["status"]) == (4, "working")
        assert f"tasks get --wait --url {url} id-1" in person.shown


async def test_a_question_of_a_task_is_a_form_and_a_state_shows_it(url: str, kitchen: Kitchen) -> None:
    with terminal("call", "--url", url, "--task", "bake", "cake=gateau") as person:
        await person.shows("working")
        kitchen.ask(candles="How many candles?")
        with terminal("tasks", "get", "--url", url, "id-1") as other:
            await other.shows("asks: How many candles? --wait answers.")
            assert await other.end() == 4
        await person.shows("the server asks: How many candles?")
        await person.shows("number")
        await person.type("7\n")
        await person.shows("name")
        await person.type("\n")
        update = await kitchen.arrived("tasks/update")
        assert update.params["inputResponses"] == {"candles": {"action": "accept", "content": {"number": 7}}}
        kitchen.complete({"cake": "gateau"})
        assert await person.end() == 0


async def test_a_server_of_the_project_is_named_and_may_end_with_its_task(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "has no server" in await shell.fault("tasks", "get", "books", "id-1")
    monkeypatch.chdir(ROOT)
    assert "has no server" in await shell.fault("tasks", "get", "nosuch", "id-1")
