"""Names of the exchange's list, and words that look like them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.agents.questions import catalogue as module
from handlers.agents.questions.catalogue import Catalogue
from handlers.agents.questions.nicknames import NICKNAMES
from handlers.agents.questions.spelling import is_one_mistake
from tests.handlers.agents.analysis.listings import LISTINGS

CATALOGUE = Catalogue(LISTINGS)
WORDS = st.text("абвг", min_size=1, max_size=6)


@pytest.mark.parametrize(
    "words, length, tickers",
    [
        ("газпром нефтью интересуюсь", 2, {"SIBN"}),
        ("газпрома акции", 1, {"GAZP"}),
        ("россети центр и приволжье", 4, {"MRKP"}),
        ("россети центр и волга", 2, {"MRKC"}),
        ("красного октября", 2, {"KROT"}),
        ("тгк", 1, {"TGKA", "TGKB", "TGKN"}),
        ("алросой", 1, {"ALRS"}),
        ("nornickel", 1, {"GMKN"}),
        ("severstal", 1, {"CHMF"}),
    ],
)
def test_the_longest_name_counts_with_any_ending(words: str, length: int, tickers: set[str]) -> None:
    match = CATALOGUE.match(words.split())
    assert match is not None
    assert (match.length, set(match.tickers)) == (length, tickers)


@pytest.mark.parametrize("words", ["at&t", "t-mobile", "погода", "октября", "s&p", "банк", "газпромовский"])
def test_another_word_is_no_name(words: str) -> None:
    assert CATALOGUE.match(words.split()) is None


def test_each_security_is_found_by_each_name_of_the_exchange() -> None:
    for listing in LISTINGS:
        for name in listing.names:
            words = [match.group() for match in module.find_words(module.normalise(name))]
            match = CATALOGUE.match(words)
            assert match is not None, name
            shares = CATALOGUE.choose(match.tickers, preferred=listing.share_class == "preferred")
            assert listing.ticker in match.tickers | shares, name


def test_each_everyday_name_is_one_that_the_list_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "NICKNAMES", {})
    bare = Catalogue(LISTINGS)
    for ticker, names in NICKNAMES.items():
        for name in names:
            match = bare.match(name.split())
            assert match is None or match.length < len(name.split()), (ticker, name)


def test_the_preferred_share_is_that_of_the_company_or_none() -> None:
    assert CATALOGUE.choose({"SBER"}, preferred=True) == {"SBERP"}
    assert CATALOGUE.choose({"SBER", "SBERP"}, preferred=False) == {"SBER"}
    assert CATALOGUE.choose({"TRNFP"}, preferred=False) == {"TRNFP"}
    assert CATALOGUE.choose({"GAZP"}, preferred=True) == frozenset()


@given(WORDS, st.data())
def test_one_letter_more_less_other_or_swapped_is_one_mistake(word: str, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(word) - 1))
    changed = {
        word[:place] + word[place + 1 :],
        word[:place] + "д" + word[place:],
        word[:place] + "д" + word[place + 1 :],
        word[:place] + word[place + 1 : place + 2] + word[place] + word[place + 2 :],
    }
    for each in changed - {word}:
        assert is_one_mistake(word, each)
        assert is_one_mistake(each, word)
    assert not is_one_mistake(word, word)
    assert not is_one_mistake(word, f"{word}дд")


@given(WORDS, WORDS)
def test_one_mistake_is_symmetric(first: str, second: str) -> None:
    assert is_one_mistake(first, second) == is_one_mistake(second, first)
