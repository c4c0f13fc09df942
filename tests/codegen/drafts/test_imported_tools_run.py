"""Tools imported from OpenAPI documents call the service that the document describes."""

from __future__ import annotations

import base64
import importlib
import json
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.services.http_service import HttpService, Received, serving
from toolaccord.call.pipeline import Pipeline
from toolaccord.testing import pipeline
from toolaccord.timing.clock import SystemClock
from toolaccord_codegen.__main__ import main

DOCUMENTS = Path(__file__).with_name("documents")
NAMES = ("--package", "running", "--handlers", "running_handlers")
PET, BOOK = {"id": 1, "name": "Rex", "tags": ["a"], "unlisted": True}, {"isbn": "1", "title": "Dubliners"}
SETTINGS = {
    "pets": {"pets_bearer": "t0ken", "pets_api_key": "k/1"},
    "books": {"books_basic": "ann:pw", "books_x_app": "app-1"},
    "search": {"search_cookie": "sid=7"},
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Make a folder current into which every document is imported."""
    folder, before = tmp_path_factory.mktemp("project"), Path.cwd()
    os.chdir(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        for name in SETTINGS:
            origin = ["--from-openapi", str(DOCUMENTS / f"{name}.json")]
            assert main(["import", f"acme/{name}", *origin, *NAMES]) == 0
        yield folder
    os.chdir(before)


@asynccontextmanager
async def started(name: str, status: int = 200, body: Any = None) -> AsyncIterator[tuple[Pipeline, HttpService]]:
    """Give the pipeline of an imported server, and its service, which answers alike every time."""

    def respond(_: Received) -> tuple[int, Any]:
        return status, body

    async with serving(respond) as service:
        handlers = importlib.import_module(f"running_handlers.acme.{name}")
        server = importlib.import_module(f"running.acme.{name}.server").server(handlers)
        (declared,) = server.sources
        defaults = {setting.name: setting.default for setting in server.settings}
        settings = defaults | {f"{name}_url": f"{service.url}/v1"} | SETTINGS[name]
        assert settings.keys() == defaults.keys()
        source = declared.open(settings, SystemClock())
        try:
            yield pipeline(server, sources={"upstream": source}, settings=settings), service
        finally:
            await source.close()


CALLS: list[tuple[str, str, dict[str, Any], str, Any, Any, Any]] = [
    (
        "pets",
        "listPets",
        {
            "limit": 2,
            "tags": ["a b", "c"],
            "ids": [1, 2],
            "filter": {"born": {"gt": "x"}},
            "page[size]": 3,
            "X-Trace": "t",
        },
        "GET /v1/pets?limit=2&tags=a%20b&tags=c&ids=1,2&page%5Bsize%5D=3&filter%5Bborn%5D%5Bgt%5D=x&api_key=k%2F1",
        b"",
        [PET],
        {"items": [PET]},
    ),
    ("pets", "listPets", {}, "GET /v1/pets?api_key=k%2F1", b"", [], {"items": []}),
    (
        "pets",
        "addPet",
        {"body": {"name": "Rex", "nick": None, "more": [1]}},
        "POST /v1/pets?api_key=k%2F1",
        {"name": "Rex", "nick": None, "more": [1]},
        PET,
        PET,
    ),
    ("pets", "getPet", {"id": "q", "path_id": "a/b"}, "GET /v1/pets/a%2Fb?id=q&api_key=k%2F1", b"", PET, PET),
    (
        "pets",
        "changePet",
        {"id": "7", "body": {"name": "Max"}},
        "PATCH /v1/pets/7?api_key=k%2F1",
        {"name": "Max"},
        PET,
        PET,
    ),
    ("pets", "removePet", {"id": "7"}, "DELETE /v1/pets/7?api_key=k%2F1", b"", b"", "Status 200"),
    ("pets", "photo", {"id": "7"}, "GET /v1/pets/7/photo?api_key=k%2F1", b"", b"\x89PNG", b"\x89PNG"),
    (
        "pets",
        "area",
        {"area": ["x", "y"], "at": ["1", "2"]},
        "GET /v1/areas/;area=x;area=y/1,2?api_key=k%2F1",
        b"",
        b"a;b",
        "a;b",
    ),
    ("pets", "note", {"body": "hé"}, "POST /v1/notes?api_key=k%2F1", "hé".encode(), 5, {"value": 5}),
    (
        "pets",
        "order",
        {"Idempotency-Key": "k", "body": {"pet": "a&b", "lines": ["1", "2"], "to": {"city": "x"}}},
        "POST /v1/orders?api_key=k%2F1",
        b"pet=a%26b&lines=1&lines=2&to%5Bcity%5D=x",
        {"ok": True},
        {"ok": True},
    ),
    (
        "books",
        "getBook",
        {"isbn": "1", "fields": ["a", "b"], "tag": ["c", "d"]},
        "GET /v1/books/1?fields=a,b&tag=c&tag=d",
        b"",
        BOOK,
        BOOK,
    ),
    ("books", "putBook", {"isbn": "1", "body": BOOK}, "PUT /v1/books/1", BOOK, BOOK, BOOK),
    ("books", "lend", {"body": {"isbn": "1", "days": 3}}, "POST /v1/loans", b"isbn=1&days=3", b"", "Status 200"),
    (
        "search",
        "search",
        {"q": "a&b", "near": {"lat": 1.5, "lon": 2}},
        "GET /v1/search.json?kind=all&q=a%26b&lat=1.5&lon=2",
        b"",
        {"hits": 1, "next": None},
        {"hits": 1},
    ),
    ("search", "ping", {}, "HEAD /v1/ping", b"", b"", "Status 200"),
]


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("call", CALLS, ids=lambda call: f"{call[0]}-{call[1]}-{len(call[2])}")
async def test_a_call_is_the_request_that_the_document_describes(call: Any) -> None:
    name, tool, arguments, line, body, response, expected = call
    async with started(name, 200, response) as (server, service):
        answer = await server.call(tool, arguments)
    assert not answer.is_error, answer.body
    (sent,) = service.requests
    assert sent.line == line
    assert (sent.body if isinstance(body, bytes) else sent.json()) == body
    if isinstance(expected, dict):
        assert answer.body == expected
    else:
        (block,) = json.loads(answer.content or b"[]")
        assert (base64.b64decode(block["data"]) if isinstance(expected, bytes) else block["text"]) == expected


@pytest.mark.usefixtures("project")
async def test_credentials_and_headers_are_those_of_the_document() -> None:
    expected = {
        ("pets", "listPets"): {"authorization": "Bearer t0ken", "x-trace": "t"},
        ("pets", "changePet"): {"content-type": "application/merge-patch+json"},
        ("pets", "order"): {"idempotency-key": "k"},
        ("books", "getBook"): {"authorization": f"Basic {base64.b64encode(b'ann:pw').decode()}", "x-app": "app-1"},
        ("search", "search"): {"cookie": "sid=7"},
    }
    for name, tool, arguments, *_, response, _ in CALLS:
        if arguments and (name, tool) in expected:
            async with started(name, 200, response) as (server, service):
                await server.call(tool, arguments)
            assert service.requests[0].headers.items() >= expected[name, tool].items()


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize(
    "status, code",
    [
        (404, "NOT_FOUND"),
        (403, "INTERNAL"),
        (429, "UNAVAILABLE"),
        (500, "UNAVAILABLE"),
        (302, "INTERNAL"),
    ],
)
async def test_a_declared_status_is_its_code_and_no_outage(status: int, code: str) -> None:
    async with started("pets", status, {"secret": "of the service"}) as (server, _):
        answer = await server.call("changePet", {"id": "7", "body": {"name": "x"}})
    error = answer.body["error"]
    assert error["code"] == code
    assert ("There is no such pet" in error["message"]) == (status == 404)
    assert "of the service" not in json.dumps(answer.body)


def test_an_operation_whose_body_is_binary_has_to_be_written(project: Path) -> None:
    text = (project / "running_handlers/acme/pets.py").read_text()
    assert text.count("NotImplementedError") == 1
    assert 'NotImplementedError("setphoto is not written yet")' in text
