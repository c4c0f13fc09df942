"""Checks of arguments before a client sends them."""

import subprocess
import sys
from dataclasses import replace
from typing import Any

import pytest

from tests.toolaccord.demo.library import GetBookRequest, ListBooksRequest
from tests.toolaccord.demo.library_client import LibraryClient
from tests.toolaccord.generated.demo.library import client
from tests.toolaccord.generated.demo.library.client import GET_BOOK, LIST_BOOKS
from tests.toolaccord.process import ROOT
from tests.toolaccord.scripted_connection import Recorder, ScriptedConnection
from toolaccord.client.declarations import RemoteTool
from toolaccord.client.policies import ClientCache, ClientPolicies, Retry, ToolCache
from toolaccord.client.policies.executor import is_retryable
from toolaccord.errors import CallFailed, ToolError, UndeclaredError

INVALID: list[tuple[RemoteTool[Any, Any], Any]] = [
    (GET_BOOK, GetBookRequest.model_construct(id=7, reason="x" * 1000)),
    (GET_BOOK, GetBookRequest.model_construct(id=7, reason="")),
    (GET_BOOK, GetBookRequest.model_construct(id=0)),
    (GET_BOOK, GetBookRequest.model_construct()),
    (GET_BOOK, GetBookRequest.model_construct(id=0, reason="")),
    (LIST_BOOKS, ListBooksRequest.model_construct(shelf="?", limit=-1)),
]


async def fail(caller: LibraryClient, tool: RemoteTool[Any, Any], request: Any) -> ToolError | UndeclaredError:
    """Return the error of a call."""
    with pytest.raises((ToolError, CallFailed)) as caught:
        await caller.call(tool, request)
    assert isinstance(caught.value, ToolError | UndeclaredError)
    return caught.value


@pytest.mark.parametrize("tool, request_", INVALID)
async def test_invalid_arguments_fail_without_a_request_an_attempt_or_a_look_up(
    tool: RemoteTool[Any, Any], request_: Any
) -> None:
    connection, observer = ScriptedConnection({}), Recorder()
    cache = ClientCache(tools={tool: ToolCache(ttl_s=10)}, prefix="test:")
    policies = ClientPolicies(retry=Retry(), cache=cache, observer=observer)
    async with LibraryClient(connection, policies) as caller:
        error = await fail(caller, tool, request_)
    assert not is_retryable(error)
    assert error.__notes__ == [f"{tool.name} was not called."]
    assert (connection.sent, observer.names()) == ([], [])


async def test_invalid_arguments_raise_the_error_that_the_server_answers() -> None:
    async with LibraryClient.stdio(env={"SHELF_URL": "shelf://wall"}, cwd=ROOT) as caller:
        for tool, request in INVALID:
            own, answered = (
                await fail(caller, tool, request),
                await fail(caller, replace(tool, parameters=None), request),
            )
            assert type(own) is type(answered)
            assert (own.code, own.message, own.details) == (answered.code, answered.message, answered.details)


async def test_the_error_names_the_pointer_and_the_violation() -> None:
    async with LibraryClient(ScriptedConnection({})) as caller:
        error = await fail(caller, GET_BOOK, GetBookRequest.model_construct(id=0))
    assert error.message == "/id must be at least 1."


def test_no_client_loads_the_validator_before_its_first_call() -> None:
    code = f"import sys, {client.__name__}; print('jsonschema_rs' in sys.modules, 'toolaccord.schema.validator' in sys.modules)"
    output = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert output.stdout.split() == ["False", "False"]
