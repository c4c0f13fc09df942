"""Words of a question that nothing else has understood."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from handlers.agents.questions import vocabulary
from handlers.agents.questions.catalogue import Catalogue, find_words, normalise
from handlers.agents.questions.notices import Notice, NoticeKind
from handlers.agents.questions.reading import Reading
from handlers.agents.questions.securities import Named, read_misspelt

_QUOTED = re.compile('[«"“„]([^«»"“”„]+)[»"”“]')
_DATE = re.compile(r"\d+(?:[.:/-]\d+)+")
_LEADING = vocabulary.JOINING - {"и", "а", "and", "про", "about"}
_SENTENCE_END = ".?!:;"
_MOST_QUOTED = 300
"""Characters of a phrase that a notice repeats."""


class _Class(Enum):
    """Classes of words."""

    NAME = "name"
    TIME = "time"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Leftovers:
    """Phrases as the question writes them."""

    names: tuple[Notice, ...] = ()
    """Names that are not on the list."""
    times: tuple[str, ...] = ()
    """Phrases about time."""
    others: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.times or self.others)


@dataclass(slots=True)
class _Phrase:
    start: int
    end: int
    kind: _Class


def find_leftovers(reading: Reading, catalogue: Catalogue, named: Named) -> Leftovers:
    """Return what *reading* has beside words that change no answer.

    A word that is a name but for one mistake is added to *named* instead.
    """
    times = [_Phrase(*match.span(), _Class.TIME) for match in _DATE.finditer(reading.rest)]
    for each in times:
        reading.take(each.start, each.end)
    reading.take_all(vocabulary.FILLER)
    read_misspelt([word for word in _words(reading) if _may_be_misspelt(word)], reading, catalogue, named)
    phrases = [*times, *_quoted_names(reading)]
    phrases += [_Phrase(*word.span(), _classify(word, reading)) for word in _words(reading)]
    joined = list(_join(sorted(phrases, key=lambda each: each.start), reading))
    texts = {kind: tuple(_quote(each, reading) for each in joined if each.kind is kind) for kind in _Class}
    names = tuple(
        Notice(NoticeKind.UNKNOWN_NAME, (name, *catalogue.guess_tickers(name)))
        for name in dict.fromkeys(texts[_Class.NAME])
    )
    return Leftovers(names, texts[_Class.TIME], texts[_Class.OTHER])


def _words(reading: Reading) -> list[re.Match[str]]:
    return [match for match in find_words(reading.text) if reading.rest[match.start()].isalnum()]


def _may_be_misspelt(word: re.Match[str]) -> bool:
    text = word.group()
    is_ticker = text.isascii() and text.isupper()
    return text.isalpha() and not is_ticker and not vocabulary.TEMPORAL.match(normalise(text))


def _quoted_names(reading: Reading) -> Iterator[_Phrase]:
    for match in _QUOTED.finditer(reading.text):
        if any(character.isalnum() for character in reading.rest[match.start(1) : match.end(1)]):
            reading.take(*match.span())
            yield _Phrase(*match.span(1), _Class.NAME)


def _classify(word: re.Match[str], reading: Reading) -> _Class:
    text = word.group()
    if vocabulary.TEMPORAL.match(normalise(text)):
        return _Class.TIME
    is_shouted = reading.text.upper() == reading.text and " " in reading.text
    if is_shouted or not any(character.isupper() for character in text):
        return _Class.OTHER
    before = reading.text[: word.start()].rstrip()
    is_first = not before or before[-1] in _SENTENCE_END
    is_foreign = text.isascii() and not reading.text.isascii()
    looks_like_ticker = len(text) > 1 and text.isupper() and any(map(str.isalpha, text)) and "-" not in text
    return _Class.NAME if looks_like_ticker or is_foreign or (text[0].isupper() and not is_first) else _Class.OTHER


def _join(phrases: list[_Phrase], reading: Reading) -> Iterator[_Phrase]:
    """Yield phrases of words with at most joining words between them.

    One word about time makes a phrase one about time.
    """
    current: _Phrase | None = None
    for each in phrases:
        if current and _belong_together(current, each, reading):
            kind = _Class.TIME if _Class.TIME in (current.kind, each.kind) else current.kind
            current = _Phrase(current.start, each.end, kind)
            continue
        if current:
            yield current
        current = each
    if current:
        yield current


def _belong_together(first: _Phrase, second: _Phrase, reading: Reading) -> bool:
    between = reading.text[first.end : second.start].split()
    if _Class.NAME in (first.kind, second.kind) and between and first.kind is not _Class.TIME:
        return False
    return all(normalise(word) in vocabulary.JOINING for word in between)


def _quote(phrase: _Phrase, reading: Reading) -> str:
    """Return the text of *phrase*, with joining words before it unless it is a name."""
    start = phrase.start
    if phrase.kind is not _Class.NAME:
        while (word := reading.text[:start].rstrip().rpartition(" ")[2]) and normalise(word) in _LEADING:
            start = reading.text[:start].rstrip().rindex(word, max(0, start - len(word) - 2))
    return reading.text[start : phrase.end][:_MOST_QUOTED]
