"""The page on the state of a server: its example is typed and runs as written."""

import asyncio
import importlib
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.docs.page_project import generated_page, run_tests, write_page
from tests.services.type_checker import check_types
from toolaccord.config.process_settings import StopTimeouts
from toolaccord.pytest.contract_coverage import Observations
from toolaccord.pytest.processes import HttpProcesses, build_environment
from toolaccord.pytest.serve import Serve
from toolaccord.server.lifespan import serve_with_state
from toolaccord.server.startup import StartError
from toolaccord.shutdown import StopSignal
from toolaccord.testing import connect, pipeline
from toolaccord_codegen.compiler import compile_folder
from toolaccord_codegen.diagnostics import ContractProblems
from toolaccord_codegen.rules.handlers.signatures import check_handlers

PAGE = (Path(__file__).parents[2] / "docs/lifespan.md").read_text(encoding="utf-8")
WORDS = {"words_file": "unused"}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The page's folder with its generated package."""
    with generated_page(PAGE, tmp_path_factory.mktemp("page")) as folder:
        yield folder


class Recorded:
    """Handlers whose `lifespan` records its steps, and fails or waits if it should."""

    def __init__(self, *, fails: bool = False, waits: bool = False) -> None:
        self.steps: list[str] = []
        self.opening = asyncio.Event()
        self._fails, self._waits = fails, waits

    @asynccontextmanager
    async def lifespan(self, start: Any, /) -> AsyncIterator[str]:
        self.steps.append(f"open {start.settings.words_file}")
        self.opening.set()
        if self._waits:
            await asyncio.Event().wait()
        if self._fails:
            raise ValueError("a secret")
        yield "state"
        self.steps.append("close")

    async def check_word(self, _request: Any, call: Any, /) -> Any:
        self.steps.append(call.state)
        return importlib.import_module("acme_generated.acme.spelling.models").CheckWordResult(known=True)


def spelling(handlers: Recorded) -> Any:
    """Return the server of the page with other handlers."""
    return importlib.import_module("acme_generated.acme.spelling.server").server(handlers)


async def test_the_test_of_the_page_passes(project: Path, tmp_path: Path) -> None:
    await run_tests(project / "tests/acme/test_spelling.py", tmp_path)


def test_the_example_is_strictly_typed(project: Path) -> None:
    assert check_types(project, "acme_generated", "acme_handlers") == ""


def test_a_handler_with_another_state_does_not_pass_the_type_checker(project: Path) -> None:
    handlers = project / "acme_handlers/acme/spelling.py"
    text = handlers.read_text(encoding="utf-8")
    handlers.write_text(text.replace("SpellingCall[Dictionary]", "SpellingCall[int]"), encoding="utf-8")
    try:
        assert "error: " in check_types(project, "acme_generated", "acme_handlers")
    finally:
        handlers.write_text(text, encoding="utf-8")


@pytest.mark.usefixtures("project")
async def test_a_client_in_memory_sees_the_state_between_opening_and_closing() -> None:
    handlers = Recorded()
    async with connect(spelling(handlers), settings=WORDS) as client:
        await client.call_tool("check_word", {"word": "queue"})
    assert handlers.steps == ["open unused", "state", "close"]


@pytest.mark.usefixtures("project")
async def test_a_state_that_cannot_be_opened_is_a_sentence_without_secrets() -> None:
    serving = pipeline(spelling(Recorded(fails=True)), settings=WORDS)

    async def serve(_stop: StopSignal) -> None:
        raise AssertionError("it must not serve")

    with pytest.raises(StartError) as raised:
        await serve_with_state(serving, serve, StopSignal(StopTimeouts(drain_s=1, grace_s=1)))
    assert str(raised.value) == "the handlers' lifespan failed with ValueError; the log has the reason"


@pytest.mark.usefixtures("project")
async def test_a_stop_while_the_state_opens_ends_the_server() -> None:
    handlers, stop = Recorded(waits=True), StopSignal(StopTimeouts(drain_s=1, grace_s=1))

    async def serve(_stop: StopSignal) -> None:
        raise AssertionError("it must not serve")

    serving = asyncio.create_task(serve_with_state(pipeline(spelling(handlers), settings=WORDS), serve, stop))
    await handlers.opening.wait()
    stop.requested.set()
    await serving
    assert handlers.steps == ["open unused"]


@pytest.mark.usefixtures("project")
async def test_both_transports_open_the_state(tmp_path: Path) -> None:
    client = importlib.import_module("acme_generated.acme.spelling.client").SpellingClient
    words = tmp_path / "words.txt"
    words.write_text("queue\n", encoding="utf-8")
    processes = HttpProcesses(tmp_path)
    serve = Serve(Observations(), processes)
    try:
        for over in ("stdio", "http"):
            async with serve(client, over=over, settings={"words_file": str(words)}) as server:
                assert (await server.call("check_word", {"word": "queue"})).result == {"known": True}
    finally:
        processes.end_all()


def test_a_process_without_its_state_ends_with_the_sentence(project: Path) -> None:
    server = importlib.import_module("acme_generated.acme.spelling.__main__").create_server()
    done = subprocess.run(
        [sys.executable, "-m", "acme_generated.acme.spelling"],
        cwd=project,
        env=build_environment(server, {"WORDS_FILE": "missing.txt"}),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    sentence = "spelling-mcp: the handlers' lifespan failed with FileNotFoundError; the log has the reason\n"
    assert (done.returncode, done.stderr.endswith(sentence)) == (1, True), done.stderr


def test_handlers_without_lifespan_are_a_problem(project: Path, tmp_path: Path) -> None:
    (contract,) = compile_folder(project / "contracts").contracts
    folder = tmp_path / "empty/acme"
    folder.mkdir(parents=True)
    (folder / "spelling.py").write_text("async def check_word(request, call): ...\n", encoding="utf-8")
    (problem,) = check_handlers(contract, "empty", [tmp_path])
    assert (problem.rule, "needs `lifespan(start)`" in problem.sentence) == ("MISSING_HANDLER", True)


@pytest.mark.parametrize(
    "old, new",
    [
        ('"name": "check_word"', '"name": "lifespan"'),
        ('"tools": [', '"sources": {"state": {"kind": "redis", "url": {"setting": "words_file"}}}, "tools": ['),
    ],
)
def test_names_that_the_state_needs_are_reserved(old: str, new: str, tmp_path: Path) -> None:
    write_page(PAGE.replace(old, new), tmp_path)
    with pytest.raises(ContractProblems) as raised:
        compile_folder(tmp_path / "contracts")
    assert "RESERVED_NAME" in {problem.rule for problem in raised.value.problems}
