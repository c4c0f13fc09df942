"""Securities that a question names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from handlers.agents.questions.catalogue import Catalogue, Match, find_words, normalise
from handlers.agents.questions.notices import Notice, NoticeKind
from handlers.agents.questions.reading import TAKEN, Reading
from handlers.agents.questions.vocabulary import FILLER, PREFERRED

_PREFERRED_BEFORE = re.compile(rf"{PREFERRED.pattern}(?: акци\w*| shares?| stocks?)?(?: of| пао)? $")
_PREFERRED_AFTER = re.compile(rf",? ?(?:акци\w* )?{PREFERRED.pattern}")
_LONGEST_NAME = 8
"""Number of words that a name has at most."""
_LOWER_FROM = 4
"""Length from which a ticker may be written in lower case."""
_ENGLISH_WORDS = frozenset(
    {"head", "data", "life", "gold", "flot", "magn", "leas", "moex", "positive", "renaissance", "astra"}
)
"""Lower-case words that are names of securities only with a capital."""
_RUSSIAN_WORDS = ("систем", "наук")
"""Beginnings of such Russian words."""
_UNKNOWN_TICKER = re.compile(r"(?<![\w-])[A-Z]{4,6}(?![\w-])")
_NO_TICKERS = frozenset({"IMOEX", "RTSI", "TQBR", "OHLC", "OHLCV", "JSON", "HTTP", "HTTPS", "HTML"})
_POSSESSIVE = re.compile(r"['’]s?$")
_CYRILLIC_T = "Т"
MOST_GUESSES = 20
"""Number of unknown words of a question whose spelling is compared with all names."""


@dataclass(slots=True)
class Named:
    """Securities by their place in the question, and what was said of names."""

    found: list[tuple[int, int, str]] = field(default_factory=list)
    """Start, end and ticker of each."""
    unclear: list[tuple[int, int, str]] = field(default_factory=list)
    """Start, end and text of names without one ticker."""
    notices: list[Notice] = field(default_factory=list)

    @property
    def tickers(self) -> tuple[str, ...]:
        """Tickers in the order of the question, each once."""
        return tuple(dict.fromkeys(ticker for _start, _end, ticker in sorted(self.found)))


def read_securities(reading: Reading, catalogue: Catalogue) -> Named:
    """Return the securities that *reading* names; their names then are understood."""
    named = Named()
    for words in _runs(reading):
        index = 0
        while index < len(words):
            index += _read_name(words[index:], reading, catalogue, named)
    if named.found or named.notices:
        reading.take_all(PREFERRED)
    return named


def find_places(text: str, catalogue: Catalogue) -> list[tuple[int, int, str]]:
    """Return start, end and ticker of each security that *text* mentions, in their order.

    A word of four to six Latin capitals is a ticker, also an unknown one.
    """
    reading = Reading(text)
    named = read_securities(reading, catalogue)
    unknown = [
        (*match.span(), match.group()) for match in _UNKNOWN_TICKER.finditer(text) if match.group() not in _NO_TICKERS
    ]
    known = [*named.found, *named.unclear]
    return sorted([*known, *(each for each in unknown if reading.rest[each[0]] != TAKEN)])


def read_misspelt(words: list[re.Match[str]], reading: Reading, catalogue: Catalogue, named: Named) -> None:
    """Add the securities that unknown *words* of *reading* mean but for one mistake."""
    for match in words[:MOST_GUESSES]:
        tickers = catalogue.guess(_lower(match))
        if tickers and _add(match.start(), match.end(), tickers, reading, catalogue, named):
            named.notices.append(Notice(NoticeKind.CORRECTED, (match.group(), named.found[-1][2])))


def _runs(reading: Reading) -> Iterator[list[re.Match[str]]]:
    """Yield the words of each part of the text that nobody has understood."""
    run: list[re.Match[str]] = []
    for match in find_words(reading.text):
        if reading.rest[match.start()].isalnum():
            run.append(match)
        elif run:
            yield run
            run = []
    yield run


def _read_name(words: list[re.Match[str]], reading: Reading, catalogue: Catalogue, named: Named) -> int:
    """Add the security that *words* begin with; return the number of its words, 1 for none."""
    first = words[0]
    match = catalogue.match([_lower(word) for word in words[:_LONGEST_NAME]])
    ticker = _find_ticker(first, catalogue)
    if ticker and (match is None or match.length == 1):
        match = Match(1, frozenset({ticker}))
    elif match is None or (match.length == 1 and _is_common(first)):
        return 1
    _add(first.start(), words[match.length - 1].end(), match.tickers, reading, catalogue, named)
    return match.length


def _add(start: int, end: int, tickers: frozenset[str], reading: Reading, catalogue: Catalogue, named: Named) -> bool:
    """Add the one of *tickers* that is meant, and return whether there is one."""
    text = reading.text[start:end]
    before, after = _PREFERRED_BEFORE.search(reading.rest[:start]), _PREFERRED_AFTER.match(reading.rest, end)
    chosen = sorted(catalogue.choose(tickers, preferred=bool(before or after)))
    reading.take(start, end)
    if len(chosen) == 1:
        named.found.append((start, end, chosen[0]))
        return True
    named.unclear.append((start, end, text))
    if chosen:
        named.notices.append(Notice(NoticeKind.AMBIGUOUS, (text, *chosen)))
    else:
        named.notices.append(Notice(NoticeKind.NO_PREFERRED, tuple(sorted(tickers))))
    return False


def _find_ticker(match: re.Match[str], catalogue: Catalogue) -> str | None:
    word = _POSSESSIVE.sub("", match.group())
    if word == _CYRILLIC_T:
        word = "T"
    ticker = word.upper()
    if ticker not in catalogue:
        return None
    return ticker if word == ticker or (len(word) >= _LOWER_FROM and word.lower() not in _ENGLISH_WORDS) else None


def _is_common(match: re.Match[str]) -> bool:
    """Return whether a word is an ordinary one, although a security has that name."""
    lowered = _lower(match)
    is_word = lowered in _ENGLISH_WORDS or lowered.startswith(_RUSSIAN_WORDS)
    return FILLER.fullmatch(lowered) is not None or (match.group() == lowered and is_word)


def _lower(match: re.Match[str]) -> str:
    return _POSSESSIVE.sub("", normalise(match.group()))
