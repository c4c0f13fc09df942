"""Numbers of texts, in digits and in words, with their units."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from handlers.agents.claims.facts import Unit
from handlers.agents.claims.vocabulary import ACTIONS, UNITS
from handlers.agents.numerals import Language

_SIGN = r"(?P<sign>(?<![\w.,)%])[-+\u2212])?"
_SCALE = r"(?: ?(?P<scale>тыс|млн|миллион|млрд|миллиард|трлн|триллион|thousand|million|mln|billion|bn|trillion|[kmb](?![\w]))\w*\.?)?"
_DIGITS = {
    "ru": re.compile(
        rf"{_SIGN}(?P<currency>[$€£¥₽]?)(?P<number>\d{{1,3}}(?: \d{{3}})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,]\d+)?){_SCALE}"
    ),
    "en": re.compile(
        rf"{_SIGN}(?P<currency>[$€£¥₽]?)(?P<number>\d{{1,3}}(?:,\d{{3}})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?){_SCALE}"
    ),
}
_SCALES = (
    (3, ("тыс", "thousand", "k")),
    (6, ("млн", "миллион", "million", "mln", "m")),
    (9, ("млрд", "миллиард", "billion", "bn", "b")),
    (12, ("трлн", "триллион", "trillion")),
)
_UNITS = re.compile("|".join(rf"(?P<u{n}> ?(?:{pattern}))" for n, (_unit, pattern) in enumerate(UNITS)))

_ONES = """
0: zero ноль нуля
1: one один одна одно одного одной одному одним одну
2: two два две двух двум двумя
3: three три трех трем тремя
4: four четыре четырех четырем четырьмя
5: five пять пяти пятью
6: six шесть шести шестью
7: seven семь семи семью
8: eight восемь восьми восемью
9: nine девять девяти девятью
10: ten десять десяти десятью
11: eleven одиннадцать одиннадцати
12: twelve двенадцать двенадцати
13: thirteen тринадцать тринадцати
14: fourteen четырнадцать четырнадцати
15: fifteen пятнадцать пятнадцати
16: sixteen шестнадцать шестнадцати
17: seventeen семнадцать семнадцати
18: eighteen восемнадцать восемнадцати
19: nineteen девятнадцать девятнадцати
20: twenty двадцать двадцати
30: thirty тридцать тридцати
40: forty сорок сорока
50: fifty пятьдесят пятидесяти
60: sixty шестьдесят шестидесяти
70: seventy семьдесят семидесяти
80: eighty восемьдесят восьмидесяти
90: ninety девяносто девяноста
100: hundred сто ста
200: двести двухсот
300: триста трехсот
400: четыреста четырехсот
500: пятьсот пятисот
600: шестьсот шестисот
700: семьсот семисот
800: восемьсот восьмисот
900: девятьсот девятисот
"""
_VALUES = {
    word: int(value)
    for value, _colon, words in (line.partition(":") for line in _ONES.split("\n"))
    for word in words.split()
}
_WORD = "|".join(sorted(_VALUES, key=len, reverse=True))
_WORDS = re.compile(rf"(?<![\w-])(?P<words>(?:{_WORD})(?:(?: and |[ -])(?:{_WORD}))*)(?!\w){_SCALE}")
_VAGUE = re.compile(
    r"(?<!\w)(?:half|halves|(?:a|one|two)[ -]thirds?|thirds? of|quarters?(?= of)|doubl\w+|tripl\w+|quadrupl\w+|twice|thrice|\w+fold|dozens?|"
    r"hundreds|thousands?|millions?|billions?|trillions?|percents?|половин\w*|треть|трети|четверть|вдвое|втрое|вчетверо|впятеро|удво\w+|утро\w+|"
    r"полтор\w+|дюжин\w*|десятк\w+|сот[ен]\w*|тысяч\w*|миллион\w*|миллиард\w*|триллион\w*|процент\w*)(?!\w)"
)
_VOTE = re.compile(rf"(?: \w+){{0,2}} (?:{'|'.join(each.pattern for each in ACTIONS.values())})")
_ROMAN = re.compile(r"(?<![\w-])(?=[IVXLCDM])M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})(?![\w-])")
_BEFORE_ONE_LETTER = re.compile(r"[=:]\s*$|(?<!\w)(?:is|at|of|by|to|на|до)\s+$")
_LOOK_ALIKES = str.maketrans("ІХСМУ", "IXCMV")


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """A number in a text."""

    start: int
    end: int
    """End of its unit."""
    text: str
    value: Decimal
    """Its value without sign, its scale included."""
    tolerance: Decimal
    """Half of a unit of its last digit."""
    sign: int
    """-1 or 1 if the text writes the sign, else 0."""
    unit: Unit


def find_numbers(text: str, language: Language) -> Iterator[Number]:
    """Yield the numbers of *text*, which is in lower case, in digits and then in words."""
    for match in _DIGITS[language].finditer(text):
        digits = match["number"].replace(" ", "")
        digits = digits.replace(",", ".") if language == "ru" else digits.replace(",", "")
        sign = 0 if not match["sign"] else 1 if match["sign"] == "+" else -1
        number = _read(text, match, Decimal(digits), len(digits.partition(".")[2]), sign)
        yield number
    for match in _WORDS.finditer(text):
        number = _read(text, match, Decimal(_sum(re.split("[ -]", match["words"]))), 0, 0)
        is_pronoun = (
            _VALUES.get(match["words"]) == 1
            and not number.unit
            and not match["scale"]
            and not _VOTE.match(text, number.end)
        )
        if not is_pronoun:
            yield number


def find_vague(text: str, cased: str) -> Iterator[str]:
    """Yield amounts that cannot be compared: fractions in words, Roman and other numerals.

    *text* has no numbers of `find_numbers` any more, and *cased* is the text in its own case.
    """
    yield from (match.group() for match in _VAGUE.finditer(text))
    latin = cased.translate(_LOOK_ALIKES)
    for match in _ROMAN.finditer(latin):
        if len(match.group()) > 1 or (match.group() and _BEFORE_ONE_LETTER.search(latin[: match.start()])):
            yield match.group()
    yield from (
        each for each in text if not each.isascii() and (each.isnumeric() or unicodedata.category(each) in ("No", "Nl"))
    )


def _read(text: str, match: re.Match[str], value: Decimal, decimals: int, sign: int) -> Number:
    scale = next((power for power, words in _SCALES if match["scale"] in words), 0)
    found = _UNITS.match(text, match.end())
    unit = "" if found is None else next(UNITS[n][0] for n in range(len(UNITS)) if found[f"u{n}"])
    if prefix := match.groupdict().get("currency"):
        unit = "USD" if prefix == "$" and unit in ("", "USD") else "foreign"
    return Number(
        start=match.start(),
        end=found.end() if found else match.end(),
        text=text[match.start() : found.end() if found else match.end()],
        value=value.scaleb(scale),
        tolerance=Decimal(5).scaleb(scale - decimals - 1),
        sign=sign,
        unit=unit,
    )


def _sum(words: list[str]) -> int:
    """Return the value of number words, such as 125 for one hundred and twenty-five."""
    total = 0
    for word in words:
        if word == "hundred":
            total = max(total, 1) * 100
        elif word != "and":
            total += _VALUES[word]
    return total
