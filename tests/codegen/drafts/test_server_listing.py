"""Lists of a running server become a contract."""

from __future__ import annotations

from typing import Any

import pytest

from tests.codegen.drafts.compiling import BOOKS, compile_draft
from toolaccord_codegen.drafts.contract import Draft
from toolaccord_codegen.drafts.server_listing import Listing, draft_listing, read_listing

CLOSED = {"type": "object", "properties": {}, "additionalProperties": False}


def draft(*tools: dict[str, Any], resources: list[Any] | None = None, templates: Any = (), prompts: Any = ()) -> Draft:
    """Return the draft of a server with these lists; its tools have no arguments by default."""
    named = [{"inputSchema": CLOSED, **tool} for tool in tools or [{"name": "search"}]]
    server = {"name": "Books", "version": "1.2.0", "instructions": "Search first."}
    return draft_listing(
        Listing(server=server, tools=named, resources=resources or [], templates=[*templates], prompts=[*prompts]),
        BOOKS,
    )


def test_a_tool_without_output_schema_returns_text() -> None:
    found = draft({"name": "search", "description": "Find books.", "title": "Search"})
    assert found.contract["server"]["instructions"] == "Search first."
    (tool,) = found.contract["tools"]
    assert (tool["name"], tool["title"], tool["description"]) == ("search", "Search", "Find books.")
    assert tool["content"] == ["text"]
    assert "returns" not in tool
    assert found.losses == ()
    assert compile_draft(found) == []


def test_an_output_schema_becomes_the_result_with_an_example() -> None:
    shape = {"type": "object", "properties": {"n": {"type": "integer", "minimum": 3}}, "required": ["n"]}
    found = draft({"name": "count", "outputSchema": shape})
    (tool,) = found.contract["tools"]
    assert tool["returns"] == shape
    assert tool["examples"] == [{"arguments": {}, "returns": {"n": 3}}]
    assert compile_draft(found) == []


@pytest.mark.parametrize(
    "hints, effects, lost",
    [
        ({}, {"writes": ["upstream"]}, []),
        ({"readOnlyHint": True}, {"reads": ["upstream"]}, []),
        ({"readOnlyHint": True, "openWorldHint": False, "destructiveHint": True}, {"elsewhere": "nothing"}, []),
        ({"idempotentHint": True}, {"writes": ["upstream"]}, ["idempotentHint"]),
        ({"readOnlyHint": False, "openWorldHint": False}, {"writes": ["upstream"]}, ["openWorldHint"]),
        ({"destructiveHint": False}, {"adds": ["upstream"]}, []),
        ({"destructiveHint": False, "idempotentHint": True}, {"adds": ["upstream"]}, ["idempotentHint"]),
        ({"destructiveHint": True}, {"writes": ["upstream"]}, []),
        ({"audience": "x"}, {"writes": ["upstream"]}, ["annotations"]),
    ],
)
def test_annotations_become_effects(hints: Any, effects: Any, lost: list[str]) -> None:
    found = draft({"name": "search", "annotations": hints})
    assert found.contract["tools"][0]["effects"] == effects
    assert [loss.keyword for loss in found.losses] == lost
    assert ("sources" in found.contract) is ("elsewhere" not in effects)
    assert compile_draft(found) == []


TICKET = {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]}
TREE = {"type": "object", "properties": {"left": {"$ref": "#/$defs/Tree"}}}


def wrap(member: str, schema: Any, **keywords: Any) -> dict[str, Any]:
    """Return the schema of an object with one member."""
    return {"type": "object", "properties": {member: schema}, "required": [member], **keywords}


def test_a_model_that_a_server_inlines_in_several_tools_is_one_definition() -> None:
    titled = {**TICKET, "description": "A ticket."}
    tools: list[dict[str, Any]] = [
        {"name": "search_tickets", "outputSchema": wrap("tickets", {"type": "array", "items": TICKET})},
        {"name": "close_ticket", "inputSchema": wrap("ticket", TICKET, additionalProperties=False)},
        {"name": "get_ticket", "outputSchema": titled},
        {"name": "list_labels", "outputSchema": wrap("label", wrap("text", {"type": "string"}))},
    ]
    found = draft(*tools)
    drafted = {tool["name"]: tool for tool in found.contract["tools"]}
    assert found.contract["$defs"] == {"Ticket": TICKET}
    assert drafted["search_tickets"]["returns"]["properties"]["tickets"]["items"] == {"$ref": "#/$defs/Ticket"}
    assert drafted["close_ticket"]["parameters"]["properties"]["ticket"] == {"$ref": "#/$defs/Ticket"}
    assert drafted["get_ticket"]["returns"] == {"$ref": "#/$defs/Ticket", "description": "A ticket."}
    assert "$ref" not in str(drafted["list_labels"])
    assert compile_draft(found) == []


def test_definitions_keep_their_names_and_different_ones_of_one_name_get_numbers() -> None:
    other = {"type": "object", "properties": {"code": {"type": "string"}}}
    tools = [
        {"name": "open", "outputSchema": wrap("made", {"$ref": "#/$defs/Item"}, **{"$defs": {"Item": TICKET}})},
        {"name": "scan", "outputSchema": wrap("seen", {"$ref": "#/$defs/Item"}, **{"$defs": {"Item": other}})},
    ]
    found = draft(*tools)
    assert found.contract["$defs"] == {"Item": TICKET, "Item2": other}
    assert compile_draft(found) == []


def test_a_model_that_contains_itself_ends_with_an_object_and_is_reported_as_wider() -> None:
    found = draft({"name": "tree", "outputSchema": wrap("root", {"$ref": "#/$defs/Tree"}, **{"$defs": {"Tree": TREE}})})
    end = {"type": "object", "additionalProperties": True}
    assert found.contract["$defs"] == {"Tree": {"type": "object", "properties": {"left": end}}}
    assert [(loss.keyword, loss.effect) for loss in found.losses] == [("$ref", "wider")]
    assert compile_draft(found) == []


def test_names_that_the_language_does_not_admit_are_mapped_and_reported() -> None:
    long = "x" * 80
    found = draft(*({"name": name} for name in ("list", "a b", "a_b", "A-B", long, f"{long}y", "class")))
    names = [tool["name"] for tool in found.contract["tools"]]
    assert names[:4] == ["list_tool", "a_b", "a_b_2", "A-B_3"]
    assert all(len(f"mcp__books-mcp__{name}") <= 64 for name in names)
    renamed = {loss.owner: loss.became for loss in found.losses if loss.keyword == "name"}
    assert renamed["tool a b"] == "a_b"
    assert "tool class" not in renamed
    assert {loss.effect for loss in found.losses} == {"narrower"}
    assert compile_draft(found) == []


def test_a_key_that_the_language_lacks_is_reported() -> None:
    (loss,) = draft({"name": "search", "icons": [], "inputSchema": CLOSED}).losses
    assert (loss.pointer, loss.keyword, loss.effect) == ("/icons", "icons", "same")


def test_resources_and_templates_of_level_one_get_handlers() -> None:
    found = draft(
        resources=[
            {"uri": "books://Hours", "name": "Opening Hours", "mimeType": "text/plain"},
            {"uri": "books://Hours", "name": "again"},
            {"uri": "books://cover", "name": "cover", "mimeType": "image/png"},
            {"uri": "no uri", "name": "wrong"},
        ],
        templates=[
            {"uriTemplate": "books://{bookId}/text", "name": "text", "mimeType": "application/json"},
            {"uriTemplate": "books://all{?page}", "name": "all"},
        ],
    )
    resources = found.contract["resources"]
    assert [(each["name"], each["content"]) for each in resources] == [
        ("opening_hours", "text"), ("cover", "binary"), ("text", "text"),
    ]  # fmt: skip
    assert resources[2]["uri_template"] == "books://{book_id}/text"
    dropped = [loss.owner for loss in found.losses if loss.keyword == "resource"]
    assert dropped == ["resource books://Hours", "resource no uri", "resource books://all{?page}"]
    assert compile_draft(found) == []


def test_prompts_get_handlers_and_arguments_that_are_texts() -> None:
    arguments = [{"name": "Book Title", "required": True, "description": "Title"}, {"name": "tone"}]
    found = draft(prompts=[{"name": "Recommend a book", "arguments": arguments}])
    (prompt,) = found.contract["prompts"]
    assert prompt["name"] == "recommend_a_book"
    assert prompt["parameters"]["required"] == ["book_title"]
    assert [*prompt["parameters"]["properties"]] == ["book_title", "tone"]
    assert {loss.became for loss in found.losses} == {"recommend_a_book", "book_title"}
    assert compile_draft(found) == []


@pytest.mark.parametrize(
    "tool",
    [{"name": 1}, {"name": ""}, {"name": "a", "inputSchema": None}, {"name": "a", "description": 5, "annotations": []}],
)
def test_a_listing_that_breaks_mcp_still_compiles(tool: Any) -> None:
    assert compile_draft(draft({"name": "search"}, tool)) == []


def test_tools_are_read_from_an_array_and_from_an_answer_of_mcp() -> None:
    tools = [{"name": "search"}]
    for document in (tools, {"tools": tools}, {"jsonrpc": "2.0", "id": 1, "result": {"tools": tools}}):
        assert read_listing(document).tools == tools
    with pytest.raises(ValueError, match="holds no tools"):
        read_listing({"tools": []})
