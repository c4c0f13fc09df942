"""Facts of tools' results: numbers with their subject, topic and unit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from enum import Enum, auto
from typing import Any, Literal, TypeAlias

Action: TypeAlias = Literal["BUY", "SELL", "HOLD"]
Kind: TypeAlias = Literal["security", "index", "strategy"]
"""Kind of a subject."""
Unit: TypeAlias = str
"""`percent`, `shares`, `times` and so on, a currency such as `RUB`, or "" for none."""
_MONEY, _TURNOVER_MONEY = "money", "money of the turnover"
_CURRENCIES: Mapping[Unit, str] = {_MONEY: "price_currency", _TURNOVER_MONEY: "value_currency"}
"""Members that name the currency of each kind of amount."""
"""Unit of a member in the currency of the results."""


class Topic(Enum):
    """Meaning of a number."""

    PRICE = auto()
    OPEN = auto()
    HIGH = auto()
    LOW = auto()
    CLOSE = auto()
    CHANGE_HOUR = auto()
    CHANGE_DAY = auto()
    RETURN = auto()
    VOLATILITY = auto()
    RANGE = auto()
    ATR = auto()
    VOLUME = auto()
    AVERAGE_VOLUME = auto()
    VOLUME_RATIO = auto()
    TURNOVER = auto()
    WEIGHT = auto()
    TOP = auto()
    TOP_WEIGHT = auto()
    MEMBERS = auto()
    CONFIDENCE = auto()
    SCORE = auto()
    PARAMETER = auto()
    VOTES_BUY = auto()
    VOTES_SELL = auto()
    VOTES_HOLD = auto()
    AGREEMENT = auto()
    STRATEGIES = auto()
    DURATION = auto()
    UNKNOWN = auto()
    """Words about what no tool knows, such as dividends."""


CHANGES = frozenset({Topic.CHANGE_HOUR, Topic.CHANGE_DAY, Topic.RETURN})
"""Topics whose sign is a direction."""
LEVELS = frozenset({Topic.PRICE, Topic.CLOSE})
"""Topics to which a price rises or falls."""
VOTES: Mapping[Action, Topic] = {"BUY": Topic.VOTES_BUY, "SELL": Topic.VOTES_SELL, "HOLD": Topic.VOTES_HOLD}

_MEMBERS: Mapping[str, tuple[Topic, Unit]] = {
    "last_price": (Topic.PRICE, _MONEY),
    "price": (Topic.PRICE, _MONEY),
    "current_price": (Topic.PRICE, _MONEY),
    "open_price": (Topic.OPEN, _MONEY),
    "high_price": (Topic.HIGH, _MONEY),
    "low_price": (Topic.LOW, _MONEY),
    "open": (Topic.OPEN, _MONEY),
    "high": (Topic.HIGH, _MONEY),
    "low": (Topic.LOW, _MONEY),
    "close": (Topic.CLOSE, _MONEY),
    "price_change_abs": (Topic.CHANGE_DAY, _MONEY),
    "price_change_pct": (Topic.CHANGE_DAY, "percent"),
    "total_return_pct": (Topic.RETURN, "percent"),
    "annualized_volatility": (Topic.VOLATILITY, "percent"),
    "intraday_volatility_estimate": (Topic.RANGE, "percent"),
    "atr": (Topic.ATR, _MONEY),
    "high_low_range": (Topic.RANGE, _MONEY),
    "volume": (Topic.VOLUME, "shares"),
    "volume_24h": (Topic.VOLUME, ""),
    "avg_daily_volume": (Topic.AVERAGE_VOLUME, "shares"),
    "volume_ratio": (Topic.VOLUME_RATIO, "times"),
    "value": (Topic.TURNOVER, _TURNOVER_MONEY),
    "weight_pct": (Topic.WEIGHT, "percent"),
    "top5_weight_pct": (Topic.TOP_WEIGHT, "percent"),
    "num_constituents": (Topic.MEMBERS, "members"),
    "strategies_analyzed": (Topic.STRATEGIES, "strategies"),
    "strategies_bullish": (Topic.VOTES_BUY, "strategies"),
    "strategies_bearish": (Topic.VOTES_SELL, "strategies"),
    "strategies_neutral": (Topic.VOTES_HOLD, "strategies"),
    "parameters": (Topic.PARAMETER, ""),
    "hours_of_change": (Topic.DURATION, "hours"),
    "hours_of_mean_volume": (Topic.DURATION, "hours"),
}
_FRACTIONS: Mapping[str, Topic] = {
    "change_1h": Topic.CHANGE_HOUR,
    "price_change_1h": Topic.CHANGE_HOUR,
    "change_24h": Topic.CHANGE_DAY,
    "volatility": Topic.VOLATILITY,
    "volatility_1h": Topic.VOLATILITY,
    "confidence": Topic.CONFIDENCE,
    "score": Topic.SCORE,
    "accuracy": Topic.SCORE,
}
"""Members that are fractions, which people read in percent, too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One number of a result."""

    subject: str
    """A ticker, a symbol, an index or a strategy."""
    topic: Topic
    value: Decimal
    unit: Unit = ""
    days: frozenset[date] = frozenset()
    """Days to which it belongs; empty if a text names it without its day."""
    needs_day: bool = False
    """True if only a text with its day names it, as one of many bars."""


@dataclass(slots=True)
class Facts:
    """Everything that results state."""

    currency: Unit
    """Currency of amounts whose result names none."""
    action: Action | None = None
    """Action of the signal; None if there is no signal."""
    numbers: list[Fact] = field(default_factory=list)
    currencies: dict[tuple[str, Unit], Unit] = field(default_factory=dict)
    """Currencies that results name, by subject and kind of amount."""
    kinds: dict[str, Kind] = field(default_factory=dict)
    """Kinds of the subjects."""
    signals: dict[str, Action] = field(default_factory=dict)
    """Signals of strategies."""
    days: set[date] = field(default_factory=set)
    minutes: set[tuple[int, int]] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    """Words with digits that are no numbers, such as the ticker X5."""

    def add_result(self, result: Any, subject: str, kind: Kind) -> None:
        """Add a tool's *result*, a JSON value, about *subject*."""
        self.kinds.setdefault(subject, kind)
        self._add(result, subject, ())

    def add(self, subject: str, topic: Topic, value: Any, unit: Unit = "", days: Iterable[date] = ()) -> None:
        """Add one number."""
        number = Decimal(str(value))
        self.numbers.append(Fact(subject=subject, topic=topic, value=number, unit=unit, days=frozenset(days)))

    def _add(self, value: Any, subject: str, days: Sequence[date]) -> None:
        if isinstance(value, Mapping):
            subject, days = self._find_subject(value, subject), _find_days(value) or days
            self.currencies |= {(subject, kind): value[name] for kind, name in _CURRENCIES.items() if name in value}
            for name, member in value.items():
                self._add_member(name, member, subject, days)
        elif isinstance(value, str):
            self._add_text(value)
        elif isinstance(value, Sequence):
            bars = [each for each in value if isinstance(each, Mapping) and "close" in each]
            self._add_bars(bars, subject, days)
            for each in value if not bars else ():
                self._add(each, subject, days)

    def _find_subject(self, value: Mapping[str, Any], subject: str) -> str:
        """Return the subject of an object, which may be a member of an index or a strategy."""
        ticker, name = value.get("ticker"), value.get("name")
        if isinstance(ticker, str):
            self.kinds.setdefault(ticker, "security")
            return ticker
        if isinstance(name, str) and "score" in value:
            self.kinds.setdefault(name, "strategy")
            if "signal" in value:
                self.signals[name] = value["signal"]
            return name
        return subject

    def _add_member(self, name: str, value: Any, subject: str, days: Sequence[date]) -> None:
        if not isinstance(value, int | float) or isinstance(value, bool):
            if name == "parameters" and isinstance(value, Mapping):
                for each in value.values():
                    self._add_member(name, each, subject, days)
            else:
                self._add(value, subject, days)
        elif name in _FRACTIONS:
            self.add(subject, _FRACTIONS[name], value, "", days)
            self.add(subject, _FRACTIONS[name], Decimal(str(value)) * 100, "percent", days)
        elif name in _MEMBERS:
            topic, unit = _MEMBERS[name]
            self.add(subject, topic, value, self._unit(subject, unit), days)
            if topic is Topic.TOP_WEIGHT:
                self.add(subject, Topic.TOP, 5, "members")

    def _add_text(self, text: str) -> None:
        """Add a date, a time or a name."""
        try:
            moment = datetime.fromisoformat(text)
        except ValueError:
            if any(each.isdigit() for each in text) and any(each.isalpha() for each in text):
                self.names.add(text)
            return
        self.days.add(moment.date())
        if len(text) > len("2026-12-31"):
            self.minutes.add((moment.hour, moment.minute))

    def _add_bars(self, bars: Sequence[Mapping[str, Any]], subject: str, days: Sequence[date]) -> None:
        """Add each bar with its day, and the first, last, highest and lowest price of all."""
        for bar in bars:
            self._add_bar(bar, subject)
        for bar, ends in zip((bars[0], bars[-1]) if bars else (), (days[:1], days[-1:]), strict=False):
            self.add(subject, Topic.CLOSE, bar["close"], self._unit(subject, _MONEY), [_day_of(bar), *ends])
        if bars:
            self.add(subject, Topic.HIGH, max(bar["high"] for bar in bars), self._unit(subject, _MONEY), days)
            self.add(subject, Topic.LOW, min(bar["low"] for bar in bars), self._unit(subject, _MONEY), days)

    def _add_bar(self, bar: Mapping[str, Any], subject: str) -> None:
        day = _day_of(bar)
        self.days.add(day)
        for name in _MEMBERS.keys() & bar.keys():
            topic, unit = _MEMBERS[name]
            value, days = Decimal(str(bar[name])), frozenset({day})
            self.numbers.append(
                Fact(
                    subject=subject, topic=topic, value=value, unit=self._unit(subject, unit), days=days, needs_day=True
                )
            )

    def _unit(self, subject: str, unit: Unit) -> Unit:
        """Return *unit*, or the currency of an amount of *subject*."""
        return self.currencies.get((subject, unit), self.currency) if unit in _CURRENCIES else unit


def _find_days(result: Mapping[str, Any]) -> list[date]:
    """Return the day, or first and last day, of which the metadata of a result speak."""
    metadata = result.get("metadata")
    named = [metadata.get(each) for each in ("as_of", "from_date", "to_date")] if isinstance(metadata, Mapping) else []
    return [datetime.fromisoformat(each).date() for each in named if each]


def _day_of(bar: Mapping[str, Any]) -> date:
    return datetime.fromisoformat(bar["ts"] if "ts" in bar else bar["timestamp"]).date()


def select(facts: Iterable[Fact], topics: Iterable[Topic], subject: str) -> list[Fact]:
    """Return the facts of *topics* about *subject*."""
    wanted = frozenset(topics)
    return [fact for fact in facts if fact.topic in wanted and fact.subject == subject]
