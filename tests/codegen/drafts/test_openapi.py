"""OpenAPI documents become contracts, whose simplest handlers are complete."""

from __future__ import annotations

from typing import Any

import pytest

from tests.codegen.drafts.compiling import BOOKS, compile_draft
from toolaccord_codegen.drafts.contract import Draft
from toolaccord_codegen.drafts.forwards import Forward
from toolaccord_codegen.drafts.openapi.document import Selection, draft_openapi
from toolaccord_codegen.drafts.openapi.partition import draft_parts

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
    found = draft(**{"__books__{id}": {"get": get}})
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
    assert found.forwards == {"post_books": forward("POST", "books", has_values=False, body="json", wrapped="items")}


def forward(method: str, path: str, **parts: Any) -> Forward:
    """Return a way to forward a call."""
    plain: dict[str, Any] = {
        "params": {},
        "headers": {},
        "body": None,
        "media_type": None,
        "wrapped": None,
        "content": None,
    }
    return Forward(method=method, path=path, **plain | parts)


def placed(name: str, where: str, kind: Any, **parts: Any) -> dict[str, Any]:
    """Return a parameter with a schema of the type *kind*."""
    return {"name": name, "in": where, "schema": {"type": kind}, "description": "Text", **parts}


def upload(media_type: str) -> dict[str, Any]:
    """Return an operation's body of a media type."""
    return {"requestBody": {"content": {media_type: {"schema": {}}}}}


@pytest.mark.parametrize(
    "change, path, parts",
    [
        ({}, "books/{id}", {}),
        ({"security": [{"key": []}]}, "books/{id}", {}),
        ({"parameters": [identifier(), placed("x", "header", "string")]}, "books/{id}", {"headers": {"x": "x"}}),
        ({"parameters": [identifier(), placed("x", "query", "array")]}, "books/{id}{?x*}", {}),
        ({"parameters": [identifier(), placed("x", "query", ["string", "null"])]}, "books/{id}{?x}", {}),
        ({"parameters": [identifier(), placed("a:3", "query", "string")]}, "books/{id}", {"params": {"a:3": "a:3"}}),
        ({"parameters": [identifier(), placed("id", "query", "string")]}, "books/{id}", {"params": {"id": "query_id"}}),
        ({"parameters": [identifier(), placed("x", "query", "array", style="pipeDelimited")]}, None, {}),
        ({"parameters": [identifier(), placed("x", "header", "array")]}, None, {}),
        ({"parameters": [identifier(), placed("x", "cookie", "string")]}, None, {}),
        ({"parameters": [{**identifier(), "name": "other"}]}, None, {}),
        (
            {"responses": {"200": {"description": "Text", "content": {"text/plain": {}}}}},
            "books/{id}",
            {"wrapped": None, "content": "text/plain"},
        ),
        ({"responses": {"200": {"description": "File", "content": {"application/zip": {}}}}}, None, {}),
        (upload("application/json; v=2"), "books/{id}", {"body": "json"}),
        (upload("text/xml"), "books/{id}", {"body": "text", "media_type": "text/xml"}),
        (upload("multipart/form-data"), None, {}),
    ],
)
def test_a_call_is_forwarded_if_the_source_can_send_all_of_it(change: Any, path: str | None, parts: Any) -> None:
    get = {"operationId": "books", "parameters": [identifier()], "responses": answer({"type": "array"})} | change
    found = draft_openapi(document(**{"__books__{id}": {"get": get}}), BOOKS, ALL)
    assert found.forwards == ({"books": forward("GET", path, **{"wrapped": "items"} | parts)} if path else {})
    assert ("handler" in [loss.keyword for loss in found.losses]) == (path is None)
    assert compile_draft(found) == []


@pytest.mark.parametrize("path", ["__books__{id}__}", "__books__{id}__{", "__books__{id}#x"])
def test_a_path_whose_braces_are_no_arguments_is_not_forwarded(path: str) -> None:
    get = {"operationId": "books", "parameters": [identifier()], "responses": answer({"type": "array"})}
    assert draft_openapi(document(**{path: {"get": get}}), BOOKS, ALL).forwards == {}


def test_security_schemes_become_secret_settings_of_the_source() -> None:
    secured = document(__books={"get": {"responses": answer(BOOK)}})
    secured["components"]["securitySchemes"] = {
        "key": {"type": "apiKey", "in": "header", "name": "X-Key"},
        "login": {"type": "http", "scheme": "Basic"},
        "token": {"type": "oauth2", "flows": {}},
        "mutual": {"type": "mutualTLS"},
    }
    found = draft_openapi(secured, BOOKS, ALL)
    source = found.contract["sources"]["upstream"]
    assert source["headers"] == {"X-Key": {"setting": "books_x_key"}}
    assert (source["basic"], "bearer" in source) == ({"setting": "books_basic"}, False)
    assert {found.contract["settings"][name]["secret"] for name in ("books_x_key", "books_basic")} == {True}
    assert [(loss.pointer.rpartition("/")[2], loss.reason) for loss in found.losses] == [
        ("token", "the source has another scheme in its place"),
        ("mutual", "the source cannot send this scheme"),
    ]
    assert compile_draft(found) == []


def test_each_security_scheme_has_a_setting_of_its_own_and_none_is_that_of_the_url() -> None:
    secured = document(__books={"get": {"responses": answer(BOOK)}})
    places = [("header", "Api-Key"), ("query", "api_key"), ("query", "url"), ("query", "Query"), ("header", "a key")]
    secured["components"]["securitySchemes"] = {
        f"{where} {name}": {"type": "apiKey", "in": where, "name": name} for where, name in places
    }
    found = draft_openapi(secured, BOOKS, ALL)
    source = found.contract["sources"]["upstream"]
    assert source["url"] == {"setting": "books_url"}
    assert source["headers"] == {"Api-Key": {"setting": "books_api_key"}}
    assert source["query"] == {
        "api_key": {"setting": "books_api_key2"},
        "url": {"setting": "books_url2"},
        "Query": {"setting": "books_query"},
    }
    assert found.contract["settings"]["books_url"]["default"] == "https://library.example/v1"
    assert [loss.pointer for loss in found.losses] == ["/components/securitySchemes/header a key"]
    assert compile_draft(found) == []


def test_parameters_of_any_names_are_arguments_of_their_own() -> None:
    parameters = [placed("query_id", "query", "string"), identifier(), placed("id", "query", "string")]
    found = draft(**{"__books__{id}": {"get": {"parameters": parameters, "responses": answer(BOOK)}}})
    (tool,) = found.contract["tools"]
    assert [*tool["parameters"]["properties"]] == ["query_id", "id", "query_id2"]
    (made,) = found.forwards.values()
    assert made == forward("GET", "books/{id}{?query_id}", params={"id": "query_id2"})


@pytest.mark.parametrize("odd", [["a"], {"a": 1}, 1, "schema", None])
@pytest.mark.parametrize("version", [{"openapi": "3.1.0"}, {"swagger": "2.0"}])
def test_a_value_of_another_type_is_no_fault(version: dict[str, str], odd: Any) -> None:
    get = {"operationId": odd, "parameters": [{"name": odd, "in": odd}], "responses": {"200": odd, "404": odd}}
    schemes = {"key": {"type": odd, "in": odd, "name": odd}}
    whole = {
        **version,
        "info": {"title": "Library", "version": "2.0.0"},
        "paths": {"/books": {"get": {"operationId": "a"}, "put": get, "parameters": [{"name": odd, "in": "query"}]}},
        "securityDefinitions": schemes,
        "components": {"securitySchemes": schemes},
    }
    found = draft_openapi(whole, BOOKS, ALL)
    assert len(found.contract["tools"]) == 2
    assert compile_draft(found) == []
    selected = draft_openapi(whole, BOOKS, Selection(operations=frozenset({"a"})))
    assert "a" in [tool["name"] for tool in selected.contract["tools"]]


def test_a_document_that_is_too_large_has_a_contract_for_each_tag() -> None:
    def operations(tag: list[str], *names: str) -> dict[str, Any]:
        described = [
            {"operationId": name, "tags": tag, "description": "d" * 400, "responses": answer(BOOK)} for name in names
        ]
        return dict(zip(("get", "put", "post", "delete"), described, strict=False))

    whole = document(
        __a=operations(["Big Tag"], "a1", "a2", "a3", "a4"), __b=operations(["b", "a"], "b1"), __c=operations([], "c1")
    )
    parts = draft_parts(whole, BOOKS, ALL, 4_000)
    assert [(identity.name, [tool["name"] for tool in draft.contract["tools"]]) for identity, draft in parts] == [
        ("books_big_tag", ["a1", "a2"]),
        ("books_big_tag_2", ["a3", "a4"]),
        ("books_b", ["b1"]),
        ("books_other", ["c1"]),
    ]
    assert {next(iter(draft.contract["settings"])) for _, draft in parts} == {"books_url"}
    assert [identity for identity, _ in draft_parts(whole, BOOKS, ALL, 1 << 20)] == [BOOKS]
    with pytest.raises(ValueError, match="/a get alone is too large"):
        draft_parts(whole, BOOKS, ALL, 100)


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
        ({"swagger": "1.2"}, "a document of OpenAPI 1.2, and only 2.0, 3.0 and 3.1 are read"),
        ({"openapi": "4.0.0"}, "a document of OpenAPI 4.0.0, and only 2.0, 3.0 and 3.1 are read"),
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
    assert {name: each.path for name, each in found.forwards.items() if isinstance(each, Forward)} == {
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
