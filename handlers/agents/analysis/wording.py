"""Sentences of answers, in Russian and English."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from handlers.agents.numerals import Language


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """Templates of one language, for `str.format`; each is a sentence or a part of one."""

    language: Language
    price: str
    untraded: str
    first_price: str
    rose: str
    fell: str
    unchanged: str
    day_range: str
    opening: str
    turnover: str
    day_volatility: str
    period: str
    one_bar: str
    volatility: str
    volume: str
    best: str
    worst: str
    calmest: str
    index: str
    top5: str
    up: str
    down: str
    nobody_up: str
    nobody_down: str
    member: str
    member_change: str
    weight: str
    no_member: str
    prices_as_of: str
    help: str
    currencies: dict[str, str]
    """Words after amounts, by ISO 4217; another currency is written as its code."""
    securities: str
    """Subject of a failed call for the list of securities."""
    errors: dict[str, str]
    """Sentence of each error code; "" of any other failure."""
    plan: dict[str, str]
    """Sentence of a plan for each tool."""
    titles: dict[str, str]
    """Titles of tables."""
    columns: dict[str, str]
    """Names of columns."""


@cache
def wording_of(locale: str | None) -> Wording:
    """Return the templates of *locale*, a BCP 47 tag; Russian unless it is English."""
    return _english() if (locale or "").lower().replace("_", "-").split("-")[0] == "en" else _russian()


def _russian() -> Wording:
    return Wording(
        language="ru",
        price="{ticker}: последняя цена {price} на {time} (МСК), {change} к предыдущему дню.",
        untraded="{ticker}: сегодня сделок не было, предыдущая цена {price} (на {time} МСК).",
        first_price="{ticker}: последняя цена {price} на {time} (МСК); предыдущей цены нет, сравнить не с чем.",
        rose="рост на {percent} ({amount})",
        fell="снижение на {percent} ({amount})",
        unchanged="без изменений",
        opening="Открытие {open}.",
        day_range="За день цена была от {low} до {high}.",
        turnover="Объём торгов {volume} акций на {value}.",
        day_volatility="Размах дня {percent} от цены открытия.",
        period="{ticker} с {first} по {last}: цена закрытия изменилась с {start} до {end}, доходность {percent}.",
        one_bar="{ticker} с {first} по {last}: цена закрытия {end}; для доходности мало данных.",
        volatility="Волатильность {percent} годовых.",
        volume="Средний дневной объём {volume} акций.",
        best="Лучший результат у {ticker}.",
        worst="Худший у {ticker}.",
        calmest="Самая низкая волатильность у {ticker}: {percent} годовых.",
        index="Индекс {index}, состав на {day}: бумаг {count}.",
        top5="Пять крупнейших весят {percent}.",
        up="Вверх индекс тянут {parts}.",
        down="Вниз тянут {parts}.",
        nobody_up="Растущих бумаг нет.",
        nobody_down="Снижающихся бумаг нет.",
        member="{ticker} ({change}, вес {weight})",
        member_change="Сегодня {ticker}: {change}.",
        weight="Вес {ticker} в индексе {weight}.",
        no_member="{ticker} в состав индекса не входит.",
        prices_as_of="Изменения цен за день, на {time} (МСК).",
        help=(
            "Я отвечаю на вопросы о бумагах и индексах Московской биржи. Можно спросить о цене («Сколько стоит Сбербанк?»), "
            "о периоде («Как изменился GAZP за месяц?»), о сравнении («Сравни SBER и VTBR с начала года») "
            "и об индексе («Кто тянет IMOEX вверх?»)."
        ),
        currencies={"RUB": "руб."},
        securities="Список бумаг",
        errors={
            "INVALID_TICKER": "{subject}: такой бумаги на бирже нет; проверьте тикер.",
            "UNKNOWN_INDEX": "{subject}: такого индекса я не знаю; есть IMOEX и RTSI.",
            "NO_DATA": "{subject}: за это время у биржи нет данных.",
            "INVALID_DATE_RANGE": "{subject}: конец периода раньше начала.",
            "DATE_RANGE_TOO_LARGE": "{subject}: период слишком длинный, выберите не более двух лет.",
            "RATE_LIMITED": "{subject}: запросов к бирже сейчас слишком много, повторите вопрос позже.",
            "ISS_TIMEOUT": "{subject}: биржа не ответила вовремя, повторите вопрос позже.",
            "ISS_UNAVAILABLE": "{subject}: биржа сейчас недоступна, повторите вопрос позже.",
            "ISS_BAD_RESPONSE": "{subject}: биржа прислала непонятный ответ, повторите вопрос позже.",
            "": "{subject}: сервер данных не ответил, повторите вопрос позже.",
        },
        plan={
            "get_security_snapshot": "Узнать текущую цену {subject}.",
            "get_ohlcv_timeseries": "Прочитать цены {subject} с {first} по {last}.",
            "get_index_constituents_metrics": "Прочитать состав индекса {subject} на {day}.",
        },
        titles={"price": "Цены", "period": "Периоды", "bars": "{ticker}: цены", "index": "Состав {index}"},
        columns={
            "ticker": "Тикер", "last_price": "Цена", "price_currency": "Валюта", "price_change_abs": "Изменение",
            "price_change_pct": "Изменение, %", "open_price": "Открытие", "high_price": "Максимум",
            "low_price": "Минимум", "volume": "Объём, акций", "value": "Оборот, руб.", "first_close": "Первая цена закрытия",
            "last_close": "Последняя цена закрытия", "total_return_pct": "Доходность, %",
            "annualized_volatility": "Волатильность, % годовых", "avg_daily_volume": "Средний дневной объём, акций",
            "ts": "Время", "open": "Открытие", "high": "Максимум", "low": "Минимум", "close": "Закрытие", "weight_pct": "Вес, %",
        },
    )  # fmt: skip


def _english() -> Wording:
    return Wording(
        language="en",
        price="{ticker}: the last price is {price} at {time} (MSK), {change} against the previous day.",
        untraded="{ticker}: no trades today; the previous price is {price} (at {time}, MSK).",
        first_price="{ticker}: the last price is {price} at {time} (MSK); there is no previous price to compare with.",
        rose="up {percent} ({amount})",
        fell="down {percent} ({amount})",
        unchanged="unchanged",
        opening="It opened at {open}.",
        day_range="The day's range is {low} to {high}.",
        turnover="The volume is {volume} shares, the value {value}.",
        day_volatility="The range is {percent} of the opening price.",
        period="{ticker} from {first} to {last}: the close went from {start} to {end}, a return of {percent}.",
        one_bar="{ticker} from {first} to {last}: the close is {end}; the data do not suffice for a return.",
        volatility="The volatility is {percent} a year.",
        volume="The average daily volume is {volume} shares.",
        best="{ticker} did best.",
        worst="{ticker} did worst.",
        calmest="{ticker} has the lowest volatility: {percent} a year.",
        index="Index {index}, composition of {day}: {count} members.",
        top5="The five largest weigh {percent}.",
        up="The index is pulled up by {parts}.",
        down="It is pulled down by {parts}.",
        nobody_up="No member rises.",
        nobody_down="No member falls.",
        member="{ticker} ({change}, weight {weight})",
        member_change="Today {ticker}: {change}.",
        weight="The weight of {ticker} in the index is {weight}.",
        no_member="{ticker} is no member of the index.",
        prices_as_of="Changes are those of the day, at {time} (MSK).",
        help=(
            "I answer questions about securities and indices of the Moscow Exchange. Ask about a price (“What is the price of SBER?”), "
            "a period (“How did GAZP change over the last month?”), a comparison (“Compare SBER and VTBR this year”) "
            "or an index (“Who pulls IMOEX up?”)."
        ),
        currencies={"RUB": "roubles"},
        securities="The list of securities",
        errors={
            "INVALID_TICKER": "{subject}: the exchange has no such security; check the ticker.",
            "UNKNOWN_INDEX": "{subject}: I do not know this index; there are IMOEX and RTSI.",
            "NO_DATA": "{subject}: the exchange has no data for this time.",
            "INVALID_DATE_RANGE": "{subject}: the period ends before it begins.",
            "DATE_RANGE_TOO_LARGE": "{subject}: the period is too long; choose two years at most.",
            "RATE_LIMITED": "{subject}: there are too many requests to the exchange now; ask again later.",
            "ISS_TIMEOUT": "{subject}: the exchange did not answer in time; ask again later.",
            "ISS_UNAVAILABLE": "{subject}: the exchange is unavailable now; ask again later.",
            "ISS_BAD_RESPONSE": "{subject}: the exchange sent something unintelligible; ask again later.",
            "": "{subject}: the data server did not answer; ask again later.",
        },
        plan={
            "get_security_snapshot": "Read the current price of {subject}.",
            "get_ohlcv_timeseries": "Read the prices of {subject} from {first} to {last}.",
            "get_index_constituents_metrics": "Read the members of {subject} as of {day}.",
        },
        titles={"price": "Prices", "period": "Periods", "bars": "{ticker}: prices", "index": "Members of {index}"},
        columns={
            "ticker": "Ticker", "last_price": "Price", "price_currency": "Currency", "price_change_abs": "Change", "price_change_pct": "Change, %",
            "open_price": "Open", "high_price": "High", "low_price": "Low", "volume": "Volume, shares", "value": "Value, RUB",
            "first_close": "First close", "last_close": "Last close", "total_return_pct": "Return, %",
            "annualized_volatility": "Volatility, % a year", "avg_daily_volume": "Average daily volume, shares",
            "ts": "Time", "open": "Open", "high": "High", "low": "Low", "close": "Close", "weight_pct": "Weight, %",
        },
    )  # fmt: skip
