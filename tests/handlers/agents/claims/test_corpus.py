"""Sentences of models about known data: true ones pass, false ones of each kind do not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from handlers.agents.claims.check import find_false_claims
from handlers.agents.claims.facts import Facts
from handlers.agents.narration import find_false_words
from tests.handlers.agents.analysis.analyst import MENTIONS
from tests.handlers.agents.claims.market import SIGNAL, SNAPSHOT, find_false

CORPUS: dict[str, Any] = json.loads(Path(__file__).with_name("corpus.json").read_text())
ANSWERS, SIGNALS = CORPUS["analyst"], CORPUS["signal"]
MIN_ACCEPTED = 0.97
"""Least share of the true sentences that the check accepts."""


def test_the_corpus_has_300_sentences() -> None:
    false = [each for corpus in (ANSWERS, SIGNALS) for kind in corpus["false"].values() for each in kind]
    assert len(false) + len(ANSWERS["true"]) + len(SIGNALS["true"]) >= 300
    assert len(ANSWERS["true"]) + len(SIGNALS["true"]) >= 150


def test_true_sentences_are_accepted() -> None:
    rejected = [(each, find_false(each)) for each in ANSWERS["true"] if find_false(each)]
    rejected += [(each, find_false_words(each, SIGNAL)) for each in SIGNALS["true"] if find_false_words(each, SIGNAL)]
    assert len(rejected) <= (1 - MIN_ACCEPTED) * (len(ANSWERS["true"]) + len(SIGNALS["true"])), rejected


@pytest.mark.parametrize("currency, own, other", [("USD", "dollars", "roubles"), ("USD", "долларов", "руб."),
    ("EUR", "евро", "USD"), ("CNY", "юаней", "рублей"), ("RUB", "руб.", "долл. США"), ("HKD", "HKD", "евро")])  # fmt: skip
def test_a_price_is_claimed_in_its_own_currency_and_the_turnover_in_roubles(
    currency: str, own: str, other: str
) -> None:
    data = SNAPSHOT["data"] | {"price_currency": currency, "value_currency": "RUB"}
    facts = Facts(currency="RUB")
    facts.add_result(SNAPSHOT | {"data": data}, "SBER", "security")

    def find(words: str) -> tuple[str, ...]:
        return find_false_claims(words, facts, "ru", MENTIONS)

    assert find(f"SBER стоит 301,5 {own}. Оборот SBER 6 491 203 045 руб.") == ()
    assert find(f"SBER стоит 301,5 {other}.")
    assert find("Оборот SBER 6 491 203 045 долларов.")


@pytest.mark.parametrize("kind", ANSWERS["false"])
def test_a_false_sentence_of_an_answer_is_rejected(kind: str) -> None:
    assert [each for each in ANSWERS["false"][kind] if not find_false(each)] == []


@pytest.mark.parametrize("kind", SIGNALS["false"])
def test_a_false_sentence_about_a_signal_is_rejected(kind: str) -> None:
    assert [each for each in SIGNALS["false"][kind] if not find_false_words(each, SIGNAL)] == []


@pytest.mark.parametrize(
    "action, words", [("SELL", "Buy it."), ("HOLD", "Sell it."), ("HOLD", "Покупайте."), ("SELL", "Держать.")]
)
def test_words_contradict_each_other_action(action: Any, words: str) -> None:
    assert find_false_words(words, SIGNAL.model_copy(update={"action": action}))
