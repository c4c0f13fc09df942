import json
from typing import Any

import pytest
from mcp_types import EmbeddedResource, ImageContent, ResourceLink, TextContent, TextResourceContents

from toolaccord.client.connection import ToolResponse
from toolaccord_codegen.cli.call.results import print_answer, print_error, read_answer

BOOKS = [{"id": each, "title": f"Book {each}", "shelf": {"row": each}} for each in (1, 20)]


@pytest.fixture(autouse=True, params=[80, 100], ids=str)
def width(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setenv("COLUMNS", str(request.param))
    return int(request.param)


def shown(capsys: pytest.CaptureFixture[str], body: Any, *blocks: Any, is_error: bool = False) -> list[str]:
    """Return the lines that are printed for an answer of one of our servers."""
    first = [TextContent(text=json.dumps(body))] if body is not None else []
    response = ToolResponse(text="", is_error=is_error, corr_id=None, structured=body, blocks=[*first, *blocks])
    if is_error:
        print_error("find", read_answer(response))
    else:
        print_answer(read_answer(response))
    captured = capsys.readouterr()
    return [line.rstrip() for line in (captured.err if is_error else captured.out).rstrip().splitlines()]


def test_records_are_a_table_with_pages_and_metadata_below(capsys: pytest.CaptureFixture[str]) -> None:
    body = {"data": {"items": BOOKS, "pagination": {"total": 7, "has_more": True}}, "_metadata": {"cached": False}}
    assert shown(capsys, body) == [
        "id  title    shelf.row",
        " 1  Book 1           1",
        "20  Book 20         20",
        "",
        "pagination.total     7",
        "pagination.has_more  true",
        "",
        "cached=false",
    ]


def test_a_table_rounds_fractions_of_many_digits(capsys: pytest.CaptureFixture[str]) -> None:
    scores = [-0.22186967693232607, 12345.678912345, 0.5873, 1.5e300, 0.00001234567891, None, 3]
    lines = shown(capsys, {"items": [{"score": each} for each in scores]})
    assert [line.strip() for line in lines] == [
        "score", "-0.2219", "12345.6789", "0.5873", "1.5e+300", "1.235e-05", "", "3",
    ]  # fmt: skip


def test_a_record_is_a_line_for_each_member(capsys: pytest.CaptureFixture[str]) -> None:
    body = {"id": 7, "title": "Émile\n\x1b[31m", "note": None, "tags": ["a", "b"], "empty": [], "shelf": {"row": 1}}
    assert shown(capsys, body) == [
        "id         7",
        "title      Émile\\n\\x1b[31m",
        "note",
        "tags       a, b",
        "empty",
        "shelf.row  1",
    ]


def test_two_lists_of_records_have_titles(capsys: pytest.CaptureFixture[str]) -> None:
    assert shown(capsys, {"bids": [{"price": 1}], "asks": [{"price": 2}]}) == [
        "bids",
        "price",
        "    1",
        "asks",
        "price",
        "    2",
    ]


def test_columns_that_do_not_fit_are_named(capsys: pytest.CaptureFixture[str], width: int) -> None:
    row = {f"column_{each}": "x" * 20 for each in range(8)}
    lines = shown(capsys, {"items": [row]})
    assert all(len(line) <= width for line in lines)
    count = 3 if width == 80 else 4
    assert lines[0].split() == list(row)[:count]
    assert " ".join(lines[3:]) == f"not shown: {', '.join(list(row)[count:])}; see them with --json"


def test_texts_images_and_links_are_lines(capsys: pytest.CaptureFixture[str]) -> None:
    blocks = [
        TextContent(text="two\nlines \x07"),
        ImageContent(data="AAAA", mime_type="image/png"),
        ResourceLink(name="spec", uri="book://spec"),
        EmbeddedResource(resource=TextResourceContents(uri="book://x", text="inside")),
    ]
    assert shown(capsys, None, *blocks) == [
        "two",
        "lines \\x07",
        "[image/png, 3 bytes; save it with --out FILE]",
        "book://spec",
        "inside",
    ]


@pytest.mark.parametrize("is_wrapped", [False, True])
def test_an_error_is_its_code_message_and_details(capsys: pytest.CaptureFixture[str], *, is_wrapped: bool) -> None:
    error = {"code": "NOT_FOUND", "message": "There is no book 7.", "details": {"id": 7}}
    lines = shown(capsys, {"error": error} if is_wrapped else error, is_error=True)
    assert lines == ["NOT_FOUND: There is no book 7.", "id  7"]


def test_an_error_without_structure_is_its_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert shown(capsys, None, TextContent(text="no \x1b[1mpaper"), is_error=True) == ["find: no \\x1b[1mpaper"]


def test_a_plain_value_that_the_sdk_wraps_is_shown_once(capsys: pytest.CaptureFixture[str]) -> None:
    for value in (3, "three"):
        response = ToolResponse(
            text="", is_error=False, corr_id=None, structured={"result": value}, blocks=[TextContent(text=str(value))]
        )
        print_answer(read_answer(response))
        assert capsys.readouterr().out.split() == ["result", str(value)]
