"""Words with which Russian and English texts name topics, directions, actions and units."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal, TypeAlias

from handlers.agents.claims.facts import CHANGES, Action, Topic, Unit

Direction: TypeAlias = Literal["up", "down"]


def _words(*alternatives: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{'|'.join(alternatives)})(?!\w)")


DIRECTIONS: Mapping[Direction, re.Pattern[str]] = {
    "up": _words(
        "up", "rose", "risen", "rises?", "rising", "grew", "grow(?:s|n|ing|th)?", "gain(?:s|ed|ing)?", "increas(?:e|ed|es|ing)",
        "added", "adds", "higher", "climb(?:s|ed|ing)?", "advanc(?:e|ed|es|ing)", "jump(?:s|ed|ing)?", "surg(?:e|ed|es|ing)",
        "rall(?:y|ied|ies|ying)", "soar(?:s|ed|ing)?", "вырос\\w*", "возрос\\w*", "раст[еу]\\w*", "расти", "рост\\w{0,2}", "подорожал\\w*",
        "дорож\\w+", "прибави\\w+", "прибавля\\w+", "поднял\\w*", "подним\\w+", "поднима\\w+", "повы[сш]\\w+", "увелич\\w+", "выше",
        "вверх", "укрепи\\w+", "подскочи\\w+", "взлете\\w+", "плюс\\w{0,2}",
    ),
    "down": _words(
        "down", "fell", "falls?", "fallen", "falling", "drop(?:s|ped|ping)?", "declin(?:e|ed|es|ing)", "los[est]\\w{0,2}", "losing",
        "lower(?:ed|s)?", "decreas(?:e|ed|es|ing)", "slid(?:e|es|ing)?", "slip(?:s|ped|ping)?", "plung(?:e|ed|es|ing)", "sank", "sinks?",
        "shed(?:s|ding)?", "tumbl(?:e|ed|es|ing)", "dip(?:s|ped|ping)?", "упа[лвд]\\w*", "пада\\w+", "паден\\w+", "сниз\\w+", "сниж\\w+",
        "потеря\\w+", "теря\\w+", "подешевел\\w*", "дешеве\\w+", "опусти\\w+", "опуска\\w+", "уменьш\\w+", "ниже", "вниз", "просе\\w+",
        "рухну\\w+", "обвали\\w+", "минус\\w{0,2}",
    ),
}  # fmt: skip
NEGATION = _words(
    "not", "\\w+n't", "no", "never", "neither", "nor", "without", "avoid", "не", "ни", "нет", "без", "избега\\w+"
)

_TOPICS: Mapping[Topic, re.Pattern[str]] = {
    Topic.PRICE: _words(
        "prices?", "costs?", "worth", "trad(?:es|ing|ed)", "quot\\w+", "цен\\w{0,3}", "стоит", "стоят", "стоил\\w?", "стоимост\\w+",
        "торгу\\w+", "котировк\\w*", "котиру\\w+", "курс\\w{0,2}",
    ),
    Topic.OPEN: _words("open(?:ed|s|ing)?", "откры\\w+"),
    Topic.HIGH: _words("highs?", "highest", "maximum", "peak\\w*", "максим\\w+"),
    Topic.LOW: _words("lows?", "lowest", "minimum", "миним\\w+"),
    Topic.CLOSE: _words("clos(?:e|ed|es|ing)", "закры\\w+"),
    Topic.RETURN: _words("return(?:ed|s)?", "доходност\\w+"),
    Topic.CHANGE_DAY: _words("chang(?:e|ed|es|ing)", "mov(?:e|ed|es)", "измен\\w+", "движени\\w+"),
    Topic.VOLATILITY: _words("volatil\\w+", "var(?:y|ies|ied)", "волатильн\\w+"),
    Topic.RANGE: _words("range\\w*", "between", "размах\\w*", "диапазон\\w*"),
    Topic.ATR: _words("true range", "atr"),
    Topic.VOLUME: _words("volumes?", "объем\\w*"),
    Topic.AVERAGE_VOLUME: _words("on average", "в среднем", "(?:average|mean)(?: daily)?(?: trading)? volume", "средн\\w+ (?:дневн\\w+ )?объем\\w*"),
    Topic.TURNOVER: _words("turnover", "value", "оборот\\w*", "объем\\w* торгов"),
    Topic.WEIGHT: _words("weigh\\w*", "(?:of|in) the index", "вес", "вес(?:а|ом|у|ит|ят|е)", "дол[яюией]", "в индексе"),
    Topic.TOP: _words("top", "largest", "biggest", "топ", "крупнейш\\w+"),
    Topic.MEMBERS: _words("members?", "constituents?", "бумаг\\w*", "состав\\w*"),
    Topic.CONFIDENCE: _words("confiden\\w+", "уверенност\\w+"),
    Topic.SCORE: _words("scor\\w+", "accura\\w+", "right", "оценк\\w+", "точност\\w+"),
    Topic.PARAMETER: _words("\\w*periods?", "parameters?", "thresholds?", "oversold", "overbought", "период\\w*", "параметр\\w*"),
    Topic.AGREEMENT: _words("agree\\w*", "consensus", "согла\\w+"),
    Topic.STRATEGIES: _words("strateg\\w+", "стратег\\w+"),
    Topic.UNKNOWN: _words(
        "dividend\\w*", "yield\\w*", "target\\w*", "forecast\\w*", "expect\\w*", "predict\\w*", "earnings", "eps", "p/e", "profit\\w*",
        "revenue\\w*", "debt\\w*", "capitali[sz]\\w+", "market cap", "ratio of price", "support", "resistance", "probab\\w+", "chance\\w*",
        "likel\\w+", "will", "would", "could", "may", "might", "дивиденд\\w*", "цел[ьеия]\\w{0,3}", "прогноз\\w*", "ожида\\w+", "прибыл\\w*", "выручк\\w*",
        "долг\\w*", "капитализац\\w*", "мультипликатор\\w*", "вероятн\\w+", "поддержк\\w*", "сопротивлен\\w*", "будет", "станет",
        "купон\\w*", "ставк\\w*", "инфляц\\w*",
    ),
}  # fmt: skip
_NARROWER: Mapping[Topic, frozenset[Topic]] = {
    Topic.OPEN: frozenset({Topic.PRICE}),
    Topic.HIGH: frozenset({Topic.PRICE}),
    Topic.LOW: frozenset({Topic.PRICE}),
    Topic.CLOSE: frozenset({Topic.PRICE}),
    Topic.RETURN: frozenset({Topic.CHANGE_DAY, Topic.PRICE}),
    Topic.VOLATILITY: frozenset({Topic.HIGH, Topic.LOW, Topic.RETURN, Topic.PRICE}),
    Topic.ATR: frozenset({Topic.RANGE, Topic.PRICE}),
    Topic.AVERAGE_VOLUME: frozenset({Topic.VOLUME}),
    Topic.VOLUME: frozenset({Topic.HIGH, Topic.LOW, Topic.PRICE}),
    Topic.TURNOVER: frozenset({Topic.HIGH, Topic.LOW, Topic.PRICE}),
    Topic.CONFIDENCE: frozenset({Topic.HIGH, Topic.LOW, Topic.PRICE}),
    Topic.SCORE: frozenset({Topic.HIGH, Topic.LOW, Topic.STRATEGIES}),
    Topic.UNKNOWN: frozenset(Topic) - {Topic.UNKNOWN},
}
"""Topics whose words another topic's words beside them make part of its name."""

SPANS: Mapping[Topic, re.Pattern[str]] = {
    Topic.CHANGE_HOUR: _words("hour\\w*", "\\d*-?h", "час\\w{0,3}"),
    Topic.CHANGE_DAY: _words("today", "day\\w*", "session", "daily", "сегодня", "день", "дня", "дневн\\w+", "торги"),
    Topic.RETURN: _words(
        "weeks?", "months?", "years?", "period", "since", "недел\\w+", "месяц\\w*", "год\\w*", "период\\w*"
    ),
}
"""Words about the time of a change."""

ACTIONS: Mapping[Action, re.Pattern[str]] = {
    "BUY": _words(
        "buy(?:s|ing)?", "bought", "(?:go|going|stay|a|be) long", "long positions?", "bullish\\w*", "bulls?", "accumulat\\w+", "purchas\\w+",
        "покуп\\w+", "купи\\w*", "лонг\\w*", "бычь\\w+", "бык\\w*", "наращива\\w+",
    ),
    "SELL": _words(
        "sell(?:s|ing)?", "sold", "(?:go|going|stay|a|be) short", "short positions?", "shorting", "bearish\\w*", "bears?", "dump\\w*",
        "exit(?:s|ing)?", "liquidat\\w+", "get out", "take profits?", "прода[йеюжвт]\\w*", "продаст", "шорт\\w*", "медвеж\\w+", "медвед\\w+",
        "избав\\w+", "фиксир\\w+",
    ),
    "HOLD": _words(
        "hold", "hold signals?", "neutral\\w*", "stay out", "wait", "do nothing", "sidelines", "держ\\w+", "удерж\\w+", "нейтральн\\w+",
        "ждать", "подожд\\w+", "воздерж\\w+", "вне рынка",
    ),
}  # fmt: skip

UNITS: tuple[tuple[Unit, str], ...] = (
    ("foreign", (r"percentage points?|процентн\w+ пункт\w*|п\.? ?п\.?(?!\w)|basis points?|bps|points?|пункт\w*|£|pounds?|фунт\w*|"
                r"тенге|tonn\w*|тонн\w*|barrel\w*|баррел\w*|lots?\b|лот\w*|contracts?|контракт\w*|minutes?|минут\w*|seconds?|секунд\w*|weeks?|"
                r"недел\w*|months?|месяц\w*|years?|лет\b|cents?\b|копе\w*|°|‰|/|\^")),
    ("percent", r"%|percent|per cent|процент\w*|pct\b"),
    ("RUB", r"₽|руб\w*\.?|rub\b|roubles?|rubles?"),
    ("EUR", r"€|eur\w*|евро"),
    ("CNY", r"¥|юан\w*|yuan|cny\b"),
    ("USD", r"\$|usdt?\b|dollars?|долл\w*\.?"),
    ("shares", r"акци\w*|штук\w*|шт\b\.?|shares?"),
    ("members", r"members?|constituents?|companies|stocks|компани\w*|эмитент\w*"),
    ("papers", r"бумаг\w*|securities"),
    ("times", r"times|x\b|×|раза?\b"),
    ("strategies", r"(?:top )?strateg\w*|(?:лучш\w+ )?стратег\w*"),
    ("hours", r"-?h\b|-?hours?|-?hourly|-?час\w*"),
    ("days", r"-?days?|(?:торгов\w+ )?дн\w+|день"),
)  # fmt: skip
FITTING: Mapping[Unit, frozenset[Unit]] = {"papers": frozenset({"shares", "members"})}
"""Units in results that a word may stand for, if there are several."""


def find_topics(prose: str) -> frozenset[Topic]:
    """Return the topics that *prose*, in lower case, names."""
    named = {topic for topic, pattern in _TOPICS.items() if pattern.search(prose)}
    found = named.difference(*(_NARROWER.get(topic, frozenset()) for topic in named))
    if Topic.CHANGE_DAY in found:
        found |= CHANGES
    if {Topic.WEIGHT, Topic.TOP} <= found:
        found = (found - {Topic.WEIGHT}) | {Topic.TOP_WEIGHT}
    if Topic.VOLUME in found:
        found.add(Topic.VOLUME_RATIO)
    if Topic.RANGE in found:
        found |= {Topic.HIGH, Topic.LOW}
    return frozenset(found)


def find_direction(prose: str) -> Direction | None:
    """Return the last direction that *prose* names."""
    found = [
        (match.start(), direction) for direction, pattern in DIRECTIONS.items() for match in pattern.finditer(prose)
    ]
    return max(found)[1] if found else None


def find_span(prose: str) -> frozenset[Topic]:
    """Return the changes whose time *prose* names; all of them if it names none."""
    return frozenset(topic for topic, pattern in SPANS.items() if pattern.search(prose)) or CHANGES
