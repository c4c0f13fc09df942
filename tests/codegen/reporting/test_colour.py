"""Terminals: colours unless their user rejects them, and lines that end between words."""

from io import StringIO

import pytest

from toolaccord_codegen.diagnostics import Position
from toolaccord_codegen.reporting.colour import TerminalStyle
from toolaccord_codegen.reporting.compiler_text import format_excerpt

SENTENCE = "the maximum changed from 50 to 20, and callers of 0.1.0 are rejected"


class Terminal(StringIO):
    """A stream that is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("no_color, colours", [(None, True), ("", True), ("1", False)])
def test_a_terminal_has_colours_unless_no_color_is_set(
    monkeypatch: pytest.MonkeyPatch, no_color: str | None, *, colours: bool
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    if no_color is not None:
        monkeypatch.setenv("NO_COLOR", no_color)
    assert TerminalStyle.of(Terminal()).on is colours


def test_a_pipe_has_neither_colours_nor_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert TerminalStyle.of(StringIO()) == TerminalStyle(on=False, columns=None)
    assert TerminalStyle.of(StringIO()).wrap(SENTENCE) == SENTENCE


def test_a_terminal_gives_its_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "33")
    assert TerminalStyle.of(Terminal()).columns == 33


def test_a_line_breaks_between_words_and_colours_take_no_columns() -> None:
    style = TerminalStyle(on=True, columns=30)
    coloured = SENTENCE.replace("maximum", style("maximum", "1"))
    lines = style.wrap(coloured, 2).split("\n")
    assert [line.replace("\x1b[1m", "").replace("\x1b[0m", "") for line in lines] == [
        "the maximum changed from 50 to",
        "  20, and callers of 0.1.0 are",
        "  rejected",
    ]


def test_a_word_longer_than_the_terminal_stays_whole() -> None:
    assert TerminalStyle(on=False, columns=10).wrap("at contracts/acme/books.json:1:1 it") == (
        "at\n  contracts/acme/books.json:1:1\n  it"
    )


def test_a_line_that_fits_is_not_changed() -> None:
    assert TerminalStyle(on=False, columns=20).wrap("  a\tb   c\n\n   ") == "  a\tb   c\n\n   "


def test_nothing_is_not_coloured() -> None:
    assert not TerminalStyle(on=True)("", "1")


@pytest.mark.parametrize("column", [1, 60, 120])
def test_an_excerpt_and_its_mark_fit_the_terminal(column: int) -> None:
    line = "".join(chr(ord("a") + index % 26) for index in range(120))
    shown, mark = format_excerpt(line, Position("a.json", 7, column), TerminalStyle(on=False, columns=40))
    assert len(shown) <= 40 >= len(mark)
    assert shown[mark.index("^")] == line[column - 1]


def test_an_excerpt_begins_with_its_line_where_the_mark_fits() -> None:
    shown, mark = format_excerpt(
        '  "maximum": 50, "minimum": 1', Position("a.json", 7, 14), TerminalStyle(on=False, columns=22)
    )
    assert (shown, mark) == (' 7 |   "maximum": 50, ', "   |              ^^")
