"""OpenAPI documents become contracts, whose simplest handlers are complete."""

from __future__ import annotations

from typing import Any

import pytest

from codegen.drafts.contract import Draft, Forward
from codegen.drafts.openapi import Selection, draft_openapi
from tests.codegen.drafts.compiling import BOOKS, compile_draft

ALL = Selection()
BOOK = {"type": "object", "properties": {"id": {"type": "integer"}, "title": {"type": "string"}}, "required": ["id"]}


def answer(schema: Any) -> Any:
    """Return the responses of an operation that answers with JSON."""
    return {"200": {"description": "Found", "content": {"application/json": {"schema": schema}}}}


def document(**paths: Any) -> dict[str, Any]:
    """Return a document; a path is written with __ for each slash."""
    return {
        "openapi": "3.1.0",
        "info": {"title": "Library", "version": "2.0.0"},
        "servers": [{"url": "https://{host}/v1/", "variables": {"host": {"default": "library.example"}}}],
        "paths": {path.replace("__", "/"): item for path, item in paths.items()},
        "components": {"schemas": {"book": BOOK}, "parameters": {"Id": identifier()}},
    }


def identifier() -> dict[str, Any]:
    """Return a parameter of a path."""
    return {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}, "description": "Number"}


def draft(**paths: Any) -> Draft:
    """Return the draft of a document, which compiles."""
    found = draft_openapi(document(**paths), BOOKS, ALL)
    assert compile_draft(found) == []
    return found


def test_an_operation_becomes_a_tool() -> None:
    get = {
        "operationId": "getBook",
        "summary": "Book",
        "parameters": [{"$ref": "#/components/parameters/Id"}],
        "responses": {
            **answer({"$ref": "#/components/schemas/book"}),
            "404": {"description": "There is no such book"},
            "501": {"description": ""},
            "503": {"description": "Closed"},
        },
    }
    found = draft(__books={"get": get})
    (tool,) = found.contract["tools"]
    assert (tool["name"], tool["title"], tool["effects"]) == ("getBook", "Book", {"reads": ["upstream"]})
    assert tool["parameters"]["properties"] == {"id": {"type": "integer", "description": "Number"}}
    assert tool["parameters"]["required"] == ["id"]
    assert tool["returns"]["properties"] == BOOK["properties"]
    assert tool["errors"] == [
        {"code": "NOT_FOUND", "description": "There is no such book", "http": 404},
        {"code": "NOT_IMPLEMENTED", "description": "Not Implemented", "http": 501, "name": "HttpNotImplemented"},
        {"code": "SERVICE_UNAVAILABLE", "description": "Closed", "http": 503, "retryable": True},
    ]
    assert found.contract["settings"]["books_url"]["default"] == "https://library.example/v1"
    assert found.losses == ()


def test_a_body_is_one_argument_and_definitions_are_shared() -> None:
    schema = {"$ref": "#/components/schemas/book"}
    post = {
        "requestBody": {"required": True, "content": {"application/json": {"schema": schema}}},
        "responses": answer({"type": "array", "items": schema}),
    }
    found = draft(__books={"post": post})
    (tool,) = found.contract["tools"]
    assert (tool["name"], tool["effects"]) == ("post_books", {"writes": ["upstream"]})
    assert tool["parameters"]["properties"] == {"body": {"$ref": "#/$defs/Book"}}
    assert tool["returns"]["properties"] == {"items": {"type": "array", "items": {"$ref": "#/$defs/Book"}}}
    assert found.contract["$defs"] == {"Book": BOOK}
    assert found.forwards == {}


@pytest.mark.parametrize(
    "case",
    [
        ({}, True),
        ({"security": [{"key": []}]}, False),
        ({"parameters": [identifier(), {"name": "x", "in": "header", "schema": {"type": "string"}}]}, False),
        ({"parameters": [identifier(), {"name": "x", "in": "query", "schema": {"type": "array"}}]}, False),
        ({"responses": {"200": {"description": "Text", "content": {"text/plain": {}}}}}, False),
    ],
)
def test_only_a_call_that_the_source_can_repeat_is_forwarded(case: tuple[Any, bool]) -> None:
    change, is_forwarded = case
    get = {"operationId": "books", "parameters": [identifier()], "responses": answer({"type": "array"})} | change
    forward = Forward(path="books/{id}", path_arguments=("id",), query=(), wrapped="items")
    found = draft_openapi(document(**{"__books__{id}": {"get": get}}), BOOKS, ALL)
    assert found.forwards == ({"books": forward} if is_forwarded else {})
    assert compile_draft(found) == []


def test_security_schemes_become_a_secret_setting() -> None:
    secured = document(__books={"get": {"responses": answer(BOOK)}})
    secured["components"]["securitySchemes"] = {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}}
    found = draft_openapi(secured, BOOKS, ALL)
    assert found.contract["settings"]["credentials"]["secret"] is True
    assert [loss.keyword for loss in found.losses] == ["securitySchemes"]
    assert compile_draft(found) == []


def test_tags_and_ids_select_operations() -> None:
    operations = {
        "get": {"operationId": "a", "tags": ["read"], "responses": {}},
        "put": {"operationId": "b", "tags": ["write"], "responses": {}},
    }
    whole = document(__books=operations)
    for selection, names in (
        (Selection(tags=frozenset({"read"})), ["a"]),
        (Selection(operations=frozenset({"b"})), ["b"]),
        (ALL, ["a", "b"]),
    ):
        assert [tool["name"] for tool in draft_openapi(whole, BOOKS, selection).contract["tools"]] == names
    with pytest.raises(ValueError, match="its tags are read, write"):
        draft_openapi(whole, BOOKS, Selection(tags=frozenset({"wrote"})))


def test_another_document_is_rejected() -> None:
    others: tuple[Any, ...] = ({"swagger": "2.0"}, [], None)
    for other in others:
        with pytest.raises(ValueError, match="no OpenAPI document of version 3"):
            draft_openapi(other, BOOKS, ALL)
