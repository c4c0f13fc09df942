"""OpenAPI documents become contracts, whose simplest handlers are complete."""

from __future__ import annotations

from typing import Any

import pytest

from tests.codegen.drafts.compiling import BOOKS, compile_draft
from toolaccord_codegen.drafts.contract import Draft, Forward
from toolaccord_codegen.drafts.openapi import Selection, draft_openapi

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


def identifier(kind: Any = "integer") -> dict[str, Any]:
    """Return a parameter of a path, whose schema has the type *kind*."""
    return {"name": "id", "in": "path", "required": True, "schema": {"type": kind}, "description": "Number"}


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
        ({"parameters": [identifier(["integer", "null"])]}, False),
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


def test_an_argument_of_the_query_that_may_be_null_is_forwarded() -> None:
    full = {"name": "full", "in": "query", "schema": {"type": ["string", "null"]}, "description": "Form"}
    get = {"operationId": "books", "parameters": [identifier(), full], "responses": answer({"type": "array"})}
    found = draft_openapi(document(**{"__books__{id}": {"get": get}}), BOOKS, ALL)
    assert found.forwards["books"] == Forward(
        path="books/{id}", path_arguments=("id",), query=("full",), wrapped="items"
    )
    assert compile_draft(found) == []


@pytest.mark.parametrize("path", ["__books__{id}__}", "__books__{id}__{", "__books__{id}__{id}"])
def test_a_path_whose_braces_are_no_arguments_is_not_forwarded(path: str) -> None:
    get = {"operationId": "books", "parameters": [identifier()], "responses": answer({"type": "array"})}
    assert draft_openapi(document(**{path: {"get": get}}), BOOKS, ALL).forwards == {}


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


@pytest.mark.parametrize(
    "other, sentence",
    [
        ({"swagger": "2.0"}, "a document of Swagger 2.0; convert it to OpenAPI 3 first"),
        ({"openapi": "4.0.0"}, "a document of OpenAPI 4.0.0, and only 3.0 and 3.1 are read"),
        ({"openapi": "3.1.0"}, "it has no operations"),
        ([], "no OpenAPI document"),
        (None, "no OpenAPI document"),
    ],
)
def test_another_document_is_rejected(other: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        draft_openapi(other, BOOKS, ALL)


def test_the_operations_of_a_path_may_be_elsewhere_in_the_document() -> None:
    item = {"parameters": [identifier()], "get": {"responses": answer(BOOK)}}
    found = draft(**{"__books__{id}": {"$ref": "#/paths/~1others~1{id}"}, "__others__{id}": item})
    assert [tool["name"] for tool in found.contract["tools"]] == ["get_books_id", "get_others_id"]
    assert {name: forward.path for name, forward in found.forwards.items()} == {
        "get_books_id": "books/{id}", "get_others_id": "others/{id}",
    }  # fmt: skip
    assert found.losses == ()


def test_what_another_file_has_is_reported() -> None:
    operation = {
        "parameters": [{"$ref": "more.yaml#/Id"}],
        "requestBody": {"$ref": "more.yaml#/Body"},
        "responses": {"200": {"description": "Done"}, "404": {"$ref": "more.yaml#/Missing"}},
    }
    found = draft(__books={"put": operation}, __others={"$ref": "more.yaml#/others"})
    assert [(loss.pointer, loss.effect) for loss in found.losses if loss.keyword == "$ref"] == [
        ("/paths/~1others/$ref", "narrower"),
        ("/paths/~1books/put/parameters/0/$ref", "narrower"),
        ("/paths/~1books/put/requestBody/$ref", "wider"),
        ("/paths/~1books/put/responses/404/$ref", "same"),
    ]


def test_a_name_that_changes_is_reported_at_its_operation() -> None:
    found = draft(__books={"get": {"operationId": "list books!", "responses": answer(BOOK)}})
    assert [tool["name"] for tool in found.contract["tools"]] == ["list_books"]
    (loss,) = found.losses
    assert (loss.owner, loss.pointer) == ("operation list books!", "/paths/~1books/get/operationId")


def test_a_default_response_alone_is_the_result() -> None:
    found = draft(__books={"get": {"responses": {"default": answer(BOOK)["200"]}}})
    assert found.contract["tools"][0]["returns"]["properties"] == BOOK["properties"]
    assert found.losses == ()
