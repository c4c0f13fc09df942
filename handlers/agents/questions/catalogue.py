"""The exchange's list of securities, searched by name."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, TypeAlias

from handlers.agents.questions.nicknames import NICKNAMES
from handlers.agents.questions.spelling import (
    is_adjective,
    is_inflected,
    is_one_mistake,
    is_russian,
    possible_stems,
    stem,
    transliterate,
)

ShareClass: TypeAlias = Literal["ordinary", "preferred", "other"]
Words: TypeAlias = tuple[str, ...]

LEGAL_FORMS = frozenset((
    "пао", "ао", "ап", "оао", "зао", "мкпао", "pjsc", "ок", "нк", "гк", "гмк", "лк", "анк", "кц", "сз", "3ао", "3ап",
    "группа", "групп", "груп", "холдинг", "акции", "обыкн", "p", "etf",
))  # fmt: skip
"""Words beside a name that are no part of it."""
_GENERIC = frozenset({"банк", "bank", "компания", "company", "завод"})
_WORD = re.compile(r"[^\W_]+(?:[&+'’.-]+[^\W_]+)*\+?")
_QUOTES = re.compile('["«»„“”()]')
_CLASS = re.compile(r"-(?:ао|ап|п)$")
_FUZZY_FROM = 5
"""Length from which a mistake in a word is corrected.

One letter makes another word of a shorter one.
"""
_ENDING_MARK = "*"


@dataclass(frozen=True, slots=True)
class Listing:
    """A security of the list."""

    ticker: str
    share_class: ShareClass
    names: tuple[str, ...]
    """As the exchange writes them."""


@dataclass(frozen=True, slots=True)
class Match:
    """Securities that have one name."""

    length: int
    """Number of words."""
    tickers: frozenset[str]


class Catalogue:
    """Securities by ticker and by name; a name's words may have Russian endings."""

    def __init__(self, listings: Iterable[Listing]) -> None:
        self._classes = {each.ticker: each.share_class for each in listings}
        self._short = {each.ticker: each.names[0] for each in listings if each.names}
        self._names: defaultdict[Words, set[str]] = defaultdict(set)
        names = list(_all_names(listings))
        self._add(names)
        # Where no name is the first word of another, the word stands for the whole.
        self._add(_beginnings(names), only_new=True)
        self._add(((ticker, tuple(map(transliterate, words))) for ticker, words in names), only_new=True)
        self._starts = {keys[:length] for keys in self._names for length in range(1, len(keys) + 1)}

    def _add(self, names: Iterable[tuple[str, Words]], *, only_new: bool = False) -> None:
        known = set(self._names) if only_new else set()
        for ticker, words in names:
            keys = tuple(map(_key, words))
            if keys not in known:
                self._names[keys].add(ticker)

    def __contains__(self, ticker: str) -> bool:
        return ticker in self._classes

    def describe(self, ticker: str) -> str:
        """Return *ticker* with the exchange's short name of the security."""
        return f"{ticker} ({self._short[ticker]})" if ticker in self._short else ticker

    def match(self, words: Sequence[str]) -> Match | None:
        """Return the longest name that *words*, lower-case, start with."""
        found: set[Words] = {()}
        best = None
        for count, word in enumerate(words, 1):
            found = {(*keys, key) for keys in found for key in _possible_keys(word)} & self._starts
            if not found:
                break
            tickers = frozenset(ticker for keys in found for ticker in self._names.get(keys, ()))
            best = Match(count, tickers) if tickers else best
        return best

    def choose(self, tickers: Iterable[str], *, preferred: bool) -> frozenset[str]:
        """Return the ordinary ones of *tickers*, or the preferred shares of their companies.

        The exchange adds a P to the ticker of a preferred share. Companies without ordinary shares have their preferred
        ones in both cases.
        """
        if preferred:
            both = {*tickers, *(f"{each}P" for each in tickers)}
            return frozenset(each for each in both if self._classes.get(each) == "preferred")
        ordinary = frozenset(each for each in tickers if self._classes[each] != "preferred")
        return ordinary or frozenset(tickers)

    def guess(self, word: str) -> frozenset[str]:
        """Return the securities whose name is *word* but for one mistake, or begins with it."""
        if len(word) < _FUZZY_FROM:
            return frozenset()
        single = [(keys[0].rstrip(_ENDING_MARK), tickers) for keys, tickers in self._names.items() if len(keys) == 1]
        single = [(name, tickers) for name, tickers in single if len(name) >= _FUZZY_FROM]
        stems = [each for each in possible_stems(word) if len(each) >= _FUZZY_FROM]
        near = [tickers for name, tickers in single if any(is_one_mistake(each, name) for each in stems)]
        longer = [tickers for name, tickers in single if name.startswith(word)]
        return frozenset(ticker for tickers in near or longer for ticker in tickers)

    def guess_tickers(self, word: str) -> tuple[str, ...]:
        """Return the tickers that are *word* but for one mistake."""
        return tuple(sorted(ticker for ticker in self._classes if len(ticker) > 3 and is_one_mistake(word, ticker)))


@lru_cache(maxsize=4)
def build_catalogue(listings: tuple[Listing, ...]) -> Catalogue:
    """Return the catalogue of *listings*; the same list is indexed once."""
    return Catalogue(listings)


def read_listings(items: Sequence[Any]) -> tuple[Listing, ...]:
    """Return *items* of list_securities as listings."""
    return tuple(Listing(each.ticker, each.share_class, tuple(each.names)) for each in items)


def normalise(text: str) -> str:
    """Return *text* in lower case, each letter in its place."""
    return "".join(low if len(low := each.lower()) == 1 else each for each in text).replace("ё", "е")


def find_words(text: str) -> Iterator[re.Match[str]]:
    """Yield the words of *text*; AT&T, T-Bank and 1-15 are one word each."""
    return _WORD.finditer(text)


def _all_names(listings: Iterable[Listing]) -> Iterator[tuple[str, Words]]:
    """Yield ticker and words of each name, with and without legal forms and hyphens."""
    tickers = set()
    for each in listings:
        tickers.add(each.ticker)
        for name in each.names:
            yield from ((each.ticker, words) for words in _variants(name))
    for ticker, names in NICKNAMES.items():
        if ticker in tickers:
            for holder in (ticker, f"{ticker}P"):
                yield from ((holder, tuple(name.split())) for name in names if holder in tickers)


def _beginnings(names: Iterable[tuple[str, Words]]) -> Iterator[tuple[str, Words]]:
    """Yield ticker and first word of each name of several words."""
    for ticker, words in names:
        first = words[0].partition("-")[0]
        if (len(words) > 1 or first != words[0]) and _is_telling(first):
            yield ticker, (first,)


def _is_telling(word: str) -> bool:
    return len(word) > 2 and word not in _GENERIC and not is_adjective(word)


def _variants(name: str) -> Iterator[Words]:
    plain = normalise(_QUOTES.sub(" ", name)).replace(" -", " ")
    words = tuple(match.group() for match in find_words(plain))
    bare = tuple(_CLASS.sub("", word) for word in words if word not in LEGAL_FORMS)
    bare = tuple(word for word in bare if word not in LEGAL_FORMS)
    for each in {words, bare}:
        if each and any(len(word) > 1 for word in each):
            yield each
            if any(mark in word for word in each for mark in "-."):
                yield tuple(part for word in each for part in re.split("[-.]", word) if part)
                yield tuple(re.sub("[-.]", "", word) for word in each)


def _key(word: str) -> str:
    """Return the key of a name's word: its stem with a mark where endings follow."""
    return stem(word) + _ENDING_MARK if is_inflected(word) else word


def _possible_keys(word: str) -> Iterator[str]:
    yield word
    if is_russian(word):
        yield from (each + _ENDING_MARK for each in possible_stems(word))
