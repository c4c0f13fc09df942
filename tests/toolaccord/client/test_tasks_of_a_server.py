"""Tasks of a server of this project, as its typed client follows them."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import pytest

from tests.toolaccord.generated.demo.errors import Unlucky
from tests.toolaccord.generated.demo.jobs import client
from tests.toolaccord.generated.demo.jobs.client import answer_asks
from tests.toolaccord.generated.demo.jobs.models import ApprovalAnswer, CountRequest, PayRequest
from tests.toolaccord.listener import listening
from tests.toolaccord.process import PATIENCE_S, ROOT
from toolaccord import Accepted, Cancelled, Declined
from toolaccord.client.tasks import TaskState
from toolaccord.errors import ServerGone, TaskFailed, TaskNotFound

MODULE = "tests.toolaccord.demo.jobs"


class JobsClient(client.JobsClient):
    """Calls the jobs; on stdio it starts the test server."""

    _server: ClassVar = replace(client.JobsClient._server, module=MODULE)


class Treasurer:
    """Approves small amounts."""

    async def approval(self, message: str, /) -> Accepted[ApprovalAnswer] | Declined | Cancelled:
        return Accepted(ApprovalAnswer(yes="100 cents" in message))


@pytest.fixture(params=["http", "stdio"])
async def jobs(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[JobsClient]:
    answers = answer_asks(Treasurer())
    if request.param == "stdio":
        async with JobsClient.stdio(cwd=ROOT, stderr=sys.stderr, answers=answers) as client:
            yield client
        return
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    async with (
        listening(module=MODULE) as server,
        JobsClient.http(f"http://127.0.0.1:{server.port}/mcp", answers=answers) as client,
    ):
        yield client


async def test_a_task_shows_its_progress_and_has_the_result_of_a_call(jobs: JobsClient) -> None:
    task = await jobs.start_count(CountRequest(to=4))
    states: list[TaskState] = [each async for each in task.progress()]
    assert (states[0].id, states[-1].status) == (task.id, "completed")
    assert {each.progress.total for each in states} <= {None, 4}
    assert task.id
    assert (await task).sum == (await jobs.resume_count(task.id)).sum == (await jobs.count(CountRequest(to=4))).sum


async def test_errors_faults_and_unknown_ids_are_told_apart(jobs: JobsClient) -> None:
    with pytest.raises(Unlucky, match="bad luck"):
        await (await jobs.start_count(CountRequest(to=13)))
    with pytest.raises(TaskFailed, match="-32603") as caught:
        await (await jobs.start_count(CountRequest(to=1000)))
    assert "secret" not in str(caught.value)
    with pytest.raises(TaskNotFound):
        await jobs.resume_count("a" * 43)


async def test_a_payment_asks_inside_its_task_and_is_called_as_any_other(jobs: JobsClient) -> None:
    assert (await jobs.pay(PayRequest(amount=100))).paid
    assert not (await (await jobs.start_pay(PayRequest(amount=999)))).paid


async def test_a_task_that_ended_with_its_server_is_not_waited_for(tmp_path: Path) -> None:
    file = tmp_path / "pid"
    script = f'echo $$ > {file}; exec "$0" -m {MODULE}'
    async with JobsClient.stdio("-c", script, sys.executable, command="sh", cwd=ROOT) as client:
        task = await client.start_count(CountRequest(to=4))
        os.kill(int(file.read_text(encoding="ascii")), signal.SIGKILL)
        async with asyncio.timeout(PATIENCE_S):
            with pytest.raises(ServerGone):
                await task
