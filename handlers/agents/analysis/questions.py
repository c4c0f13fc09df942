"""Understanding of a question: its subject, its period and its kind."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from enum import Enum

from handlers.agents.analysis.periods import Period, find_period
from handlers.agents.analysis.securities import find_securities

MAX_SECURITIES = 5
"""Largest number of securities in one answer, one for each step of a plan."""
REMEMBERED = 10
"""Number of earlier messages that can give the subject.

Without it, the longest conversation takes seconds.
"""

_RTS = re.compile(r"\b(?:rtsi|rts|ртс)\b")
_IMOEX = re.compile(
    r"\bimoex\b|\b(?:moex|moscow exchange) index|\bиндекс\w* (?:мосбирж\w*|московск\w+ бирж\w*|ммвб|moex)|\bммвб\b|\bмосбирж\w* индекс"
)
INDEX_NAMES = {"IMOEX": _IMOEX, "RTSI": _RTS}
"""Patterns of the names of indices, in lower case."""
_ANY_INDEX = re.compile(
    r"\b(?:индекс\w*|index\w*|indices|constituents|состав индекса|голуб\w+ фиш\w+|лидер\w* (?:роста|падения|рынка)|"
    r"рын(?:ок|ка|ке)|market|gainers|losers)\b"
)
_COMPARE = re.compile(r"\b(?:сравн\w*|против|лучше|хуже|или|versus|vs|compar\w*|better|worse)\b")
_PRICE = re.compile(
    r"\b(?:цен\w*|стоит|стоят|стоимост\w*|курс\w*|котировк\w*|почем|price\w*|quote\w*|cost\w*|trading at|worth)\b"
)
_CHANGE = re.compile(
    r"\b(?:измен\w*|выр[оа]с\w*|раст\w*|упа\w*|сниз\w*|динамик\w*|доходност\w*|волатильност\w*|chang\w*|perform\w*|return\w*|"
    r"grow\w*|grew|fell|fall\w*|rise|rose|volatil\w*|trend\w*|histor\w*|истори\w*)\b"
)
_HOURLY = re.compile(r"\b(?:почасов\w*|по часам|часов(?:ой|ые|ых)|hourly|by hour)\b")


class Kind(Enum):
    """Kinds of questions."""

    PRICE = "price"
    """The current price of securities."""
    PERIOD = "period"
    """One security over a period."""
    OVERVIEW = "overview"
    """One security: its price, and a period."""
    COMPARISON = "comparison"
    """Securities over a period."""
    INDEX = "index"
    """An index, perhaps with securities in it."""
    FUTURE = "future"
    """A period that has not begun."""
    UNKNOWN = "unknown"
    """Anything else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """An understood question."""

    kind: Kind
    securities: tuple[str, ...] = ()
    """Tickers, in the order of the question, at most MAX_SECURITIES."""
    index: str | None = None
    """IMOEX or RTSI."""
    period: Period | None = None
    """None if the question names none."""
    hourly: bool = False
    """True for hourly bars."""
    is_shortened: bool = False
    """True if it names more securities than one answer takes."""


def understand(texts: Sequence[str], today: date) -> Question:
    """Return the last of a user's *texts* as a question.

    An earlier one gives the subject that it lacks. *today* is the day in Moscow.
    """
    text = texts[-1] if texts else ""
    period = find_period(text, today)
    securities, index = _find_subject(text)
    if not securities and index is None and (period is not None or _CHANGE.search(text.lower())):
        subjects = (_find_subject(earlier) for earlier in reversed(texts[-REMEMBERED - 1 : -1]))
        securities, index = next((each for each in subjects if each != ((), None)), ((), None))
    return Question(
        kind=_find_kind(text.lower(), securities, index, period, today),
        securities=securities[:MAX_SECURITIES],
        index=index,
        period=period,
        hourly=_HOURLY.search(text.lower()) is not None,
        is_shortened=len(securities) > MAX_SECURITIES,
    )


def _find_subject(text: str) -> tuple[tuple[str, ...], str | None]:
    """Return the securities and the index that *text* is about."""
    lowered = text.lower().replace("ё", "е")
    named = _IMOEX.search(lowered)
    # The exchange has a share, too: where its name names the index, it is not asked for.
    rest = text if named is None else text[: named.start()] + " " * len(named.group()) + text[named.end() :]
    securities = find_securities(rest)
    if _RTS.search(lowered):
        return securities, "RTSI"
    is_index = named is not None or (
        _ANY_INDEX.search(lowered) and (not securities or "индекс" in lowered or "index" in lowered)
    )
    return securities, "IMOEX" if is_index else None


def _find_kind(
    lowered: str, securities: tuple[str, ...], index: str | None, period: Period | None, today: date
) -> Kind:
    if not securities and index is None:
        return Kind.UNKNOWN
    if period is not None and period.first > today:
        return Kind.FUTURE
    if index is not None:
        return Kind.INDEX
    if period == Period(today, today) or (period is None and _is_price(lowered)):
        return Kind.PRICE
    if len(securities) > 1:
        return Kind.COMPARISON
    return Kind.PERIOD if period is not None or _CHANGE.search(lowered) else Kind.OVERVIEW


def _is_price(lowered: str) -> bool:
    return _PRICE.search(lowered) is not None and not _CHANGE.search(lowered) and not _COMPARE.search(lowered)
