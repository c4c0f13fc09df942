"""Colours: used on terminals, unless their user rejects them."""

import sys

import pytest

from codegen.reporting.colour import wants_colour


class Terminal:
    """A standard output that is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("no_color, colours", [(None, True), ("", True), ("1", False)])
def test_a_terminal_has_colours_unless_no_color_is_set(
    monkeypatch: pytest.MonkeyPatch, no_color: str | None, *, colours: bool
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr(sys, "stdout", Terminal())
    if no_color is not None:
        monkeypatch.setenv("NO_COLOR", no_color)
    assert wants_colour() is colours


def test_a_pipe_has_no_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert wants_colour() is False
