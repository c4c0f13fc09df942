"""The differences between a draft and its original, for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from shutil import get_terminal_size
from textwrap import wrap

from toolaccord_codegen.diagnostics import escape_unprintable, pluralise
from toolaccord_codegen.drafts.losses import Effect, Loss
from toolaccord_codegen.reporting.colour import RED, TerminalStyle

MOST_PLACES = 5
"""Places of one difference that a terminal shows; the report in JSON has all."""
MEANINGS = {
    Effect.NARROWER: "the draft rejects values that the original admits",
    Effect.WIDER: "the draft admits values that the original rejects",
    Effect.SAME: "the same values are admitted; a text, a hint or a form differs",
}


def format_losses(losses: Sequence[Loss], style: TerminalStyle) -> Iterator[str]:
    """Yield the lines of a report; equal differences of several places are one entry."""
    if not losses:
        yield "Nothing is lost: the draft says what the original says."
        return
    yield f"{pluralise(len(losses), 'difference')} from the original:"
    for effect, meaning in MEANINGS.items():
        found = [loss for loss in losses if loss.effect == effect]
        if found:
            title = f"{effect}: {meaning} ({len(found)})"
            yield from ("", style(title, RED) if effect is Effect.NARROWER else title)
            yield from _format_groups(found)


def _format_groups(losses: Sequence[Loss]) -> Iterator[str]:
    """Yield the lines of the differences with one effect, by keyword and reason."""
    groups: dict[tuple[str, str, str], list[Loss]] = {}
    for loss in losses:
        groups.setdefault((loss.keyword, loss.change, loss.reason), []).append(loss)
    for (keyword, change, reason), members in groups.items():
        yield from _wrap(f"{keyword} {change}: {reason}", "  ")
        for loss in members[:MOST_PLACES]:
            became = f" -> {loss.became}" if loss.became else ""
            yield from _wrap(f"{loss.owner} {loss.pointer}{became}", "    ")
        if len(members) > MOST_PLACES:
            yield f"    and {pluralise(len(members) - MOST_PLACES, 'more place')}"


def _wrap(text: str, indent: str) -> list[str]:
    """Return a text in lines that fit the terminal; a pointer is never cut."""
    width = min(get_terminal_size().columns, 120)
    shown = escape_unprintable(text)
    return wrap(
        shown,
        width,
        initial_indent=indent,
        subsequent_indent=f"{indent}  ",
        break_long_words=False,
        break_on_hyphens=False,
    )
