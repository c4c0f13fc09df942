"""Numbers at random, of random subjects, topics and units, in sentences of every form."""

from __future__ import annotations

import random
from dataclasses import dataclass
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from tests.handlers.agents.claims.market import find_false

NAMES = {
    "SBER": ("Sberbank", "Сбербанк"),
    "GAZP": ("Gazprom", "Газпром"),
    "LKOH": ("Lukoil", "Лукойл"),
    "VTBR": ("VTB", "ВТБ"),
    "IMOEX": ("IMOEX", "IMOEX"),
    "YDEX": ("Yandex", "Яндекс"),
}


@dataclass(frozen=True)
class Form:
    """Sentences that claim one number, with the true values by subject."""

    english: str
    russian: str
    truths: dict[str, tuple[str, ...]]


FORMS = (
    Form("{name} rose {n}%.", "{name}: рост на {n} %.", {"SBER": ("0.79",), "VTBR": ("2.35",)}),
    Form("{name} fell by {n} percent.", "{name}: снижение на {n} %.", {"GAZP": ("4.69",), "LKOH": ("1.2",)}),
    Form("The return of {name} was −{n}%.", "Доходность {name} −{n} %.", {"GAZP": ("4.69",)}),
    Form("The weight of {name} is {n}%.", "Вес {name} в индексе {n} %.", {"LKOH": ("14.2",), "VTBR": ("3.1",)}),
    Form("The volatility of {name} is {n}%.", "Волатильность {name} {n} %.", {"GAZP": ("25.125",)}),
    Form("{name} costs {n} roubles.", "{name} стоит {n} руб.", {"SBER": ("301.5",), "LKOH": ("6800",), "VTBR": ("92.4",)}),
    Form("The high of {name} is {n} roubles.", "Максимум {name} {n} руб.", {"SBER": ("303.2",), "GAZP": ("132.4",)}),
    Form("{name} closed at {n} roubles.", "{name} закрылся по {n} руб.", {"GAZP": ("131.2", "125.05")}),
    Form("The volume of {name} is {n} million shares.", "Объём {name} {n} млн акций.", {"SBER": ("21.45003",)}),
    Form("The dividend of {name} is {n} roubles.", "Дивиденд {name} {n} руб.", {}),
    Form("The P/E of {name} is {n}.", "Мультипликатор {name} равен {n}.", {}),
    Form("{name} will rise by {n}%.", "{name} вырастет на {n} %.", {}),
)  # fmt: skip
NUMBERS = st.integers(0, 100).map(str) | st.decimals(0, 400, places=1).map(str) | st.decimals(0, 30, places=2).map(str)


LANGUAGES = st.sampled_from(["ru", "en"])


def write(form: Form, subject: str, number: str, language: str) -> str:
    """Return the sentence in a language."""
    if language == "ru":
        return form.russian.format(name=NAMES[subject][1], n=number.replace(".", ","))
    return form.english.format(name=NAMES[subject][0], n=number)


def is_true(form: Form, subject: str, number: str) -> bool:
    """Return True if a truth, rounded as *number*, is equal to it."""
    tolerance = Decimal(5).scaleb(-len(number.partition(".")[2]) - 1)
    return any(abs(Decimal(each) - Decimal(number)) <= tolerance for each in form.truths.get(subject, ()))


@given(st.sampled_from(FORMS), st.sampled_from(sorted(NAMES)), NUMBERS, LANGUAGES)
def test_a_number_passes_only_if_it_is_true(form: Form, subject: str, number: str, language: str) -> None:
    if not find_false(write(form, subject, number, language)):
        assert is_true(form, subject, number)


@given(st.sampled_from([(form, subject) for form in FORMS for subject in form.truths]), LANGUAGES, st.data())
def test_a_true_number_passes(case: tuple[Form, str], language: str, data: st.DataObject) -> None:
    form, subject = case
    truth = Decimal(data.draw(st.sampled_from(form.truths[subject])))
    decimals = data.draw(st.integers(1, 3))
    number = str(truth.quantize(Decimal(1).scaleb(-decimals)))
    assert find_false(write(form, subject, number, language)) == ()


def test_of_whole_numbers_at_random_at_most_one_in_a_hundred_passes() -> None:
    draw = random.Random(0)
    texts = [
        write(draw.choice(FORMS), draw.choice(sorted(NAMES)), str(draw.randint(0, 100)), draw.choice(["ru", "en"]))
        for _ in range(2000)
    ]
    assert sum(not find_false(text) for text in texts) <= len(texts) / 100
