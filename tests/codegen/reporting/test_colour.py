"""Colours are for terminals whose reader has not refused them."""

import sys

import pytest

from codegen.reporting.colour import wants_colour


class Terminal:
    """Stands for standard output that somebody looks at."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("said, colours", [(None, True), ("", True), ("1", False)])
def test_a_terminal_has_colours_unless_no_color_is_set(
    monkeypatch: pytest.MonkeyPatch, said: str | None, *, colours: bool
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr(sys, "stdout", Terminal())
    if said is not None:
        monkeypatch.setenv("NO_COLOR", said)
    assert wants_colour() is colours


def test_a_pipe_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert wants_colour() is False
