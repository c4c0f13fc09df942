"""Numbers and dates as Russian and English texts write them."""

from __future__ import annotations

from datetime import date, datetime
from decimal import ROUND_HALF_UP, Decimal
from typing import Literal, TypeAlias

Language: TypeAlias = Literal["ru", "en"]

MINUS = "\u2212"
SPACE = "\u00a0"
"""A space at which no line breaks."""


def write_number(value: float, language: Language, decimals: int | None = None) -> str:
    """Return *value* with grouped thousands, rounded half up to *decimals*, by default exact."""
    number = Decimal(str(value))
    if decimals is not None and number.is_finite():
        number = number.quantize(Decimal(1).scaleb(-decimals), rounding=ROUND_HALF_UP)
    text = f"{abs(number):,f}"
    if "." in text and decimals is None:
        text = text.rstrip("0").rstrip(".")
    if language == "ru":
        text = text.replace(",", SPACE).replace(".", ",")
    return f"{MINUS}{text}" if number < 0 else text


def write_percent(value: float, language: Language, *, signed: bool = False) -> str:
    """Return a percentage with two decimals; *signed* gives a positive one a plus."""
    sign = "+" if signed and value > 0 else ""
    return f"{sign}{write_number(value, language, 2)}{SPACE if language == 'ru' else ''}%"


def write_date(day: date, language: Language) -> str:
    """Return *day* as 31.12.2026 in Russian, as 2026-12-31 in English."""
    return f"{day:%d.%m.%Y}" if language == "ru" else f"{day:%Y-%m-%d}"


def write_time(moment: datetime, language: Language) -> str:
    """Return day and minute of *moment*, in its own zone."""
    return f"{write_date(moment.date(), language)} {moment:%H:%M}"
