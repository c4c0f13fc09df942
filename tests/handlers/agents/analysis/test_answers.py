"""Answers on the exchange's stand-in, with numbers computed again from its rows."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator, Mapping
from statistics import mean
from typing import Any

import httpx
import pytest

from handlers.agents.analysis.notice_wording import write_notices
from handlers.agents.claims.check import find_false_claims
from handlers.agents.claims.facts import Facts
from handlers.agents.numerals import Language
from handlers.agents.questions.catalogue import build_catalogue
from handlers.agents.questions.notices import Notice, NoticeKind, Topic
from tests.handlers.agents.analysis.analyst import MENTIONS, NOON, Analyst, analyst_on
from tests.handlers.agents.analysis.listings import LISTINGS
from tests.services.exchange import Exchange

BOARD = "engines/stock/markets/shares/boards/TQBR/securities"
MONTH = ("2026-10-01", "2026-10-31")
Rows = list[dict[str, Any]]


@pytest.fixture
def exchange() -> Iterator[Exchange]:
    with Exchange(lambda: NOON).running() as running:
        yield running


@pytest.fixture
async def analyst(exchange: Exchange) -> AsyncIterator[Analyst]:
    async with analyst_on(exchange.url) as running:
        yield running


def rows(exchange: Exchange, path: str, block: str, **query: str) -> Rows:
    """Return the rows of *block*, by column, straight from the exchange."""
    table = httpx.get(f"{exchange.url}/{path}.json", params=query).raise_for_status().json()[block]
    return [dict(zip(table["columns"], row, strict=True)) for row in table["data"]]


def bars(exchange: Exchange, ticker: str, first: str, last: str) -> Rows:
    return rows(exchange, f"{BOARD}/{ticker}/candles", "candles", **{"from": first, "till": last, "interval": "24"})


def total_return(days: Rows) -> float:
    return float((days[-1]["close"] / days[0]["close"] - 1) * 100)


def russian(value: float, decimals: int | None = None) -> str:
    """Return *value* as a Russian text has it, written anew with other means than the handler's."""
    text = f"{abs(value):,.{decimals}f}" if decimals is not None else f"{abs(value):,.10g}"
    return ("\u2212" if value < 0 else "") + text.replace(",", "\u00a0").replace(".", ",")


def table(output: Mapping[str, Any], title: str) -> Rows:
    (found,) = [each for each in output["tables"] if each["title"] == title]
    return [dict(zip(found["columns"], row, strict=True)) for row in found["rows"]]


async def test_the_price_of_a_security_is_the_exchange_s(exchange: Exchange, analyst: Analyst) -> None:
    output = await analyst.ask("Сколько стоит Сбербанк?")
    (market,) = rows(exchange, f"{BOARD}/SBER", "marketdata")
    assert f"SBER: последняя цена {russian(market['LAST'])} руб. на 20.11.2026" in output["text"]
    assert f"{russian(abs(market['LASTTOPREVPRICE']), 2)}\u00a0%" in output["text"]
    assert ("рост" if market["CHANGE"] > 0 else "снижение") in output["text"]
    assert table(output, "Цены")[0]["Максимум"] == market["HIGH"]
    assert output["debug"]["tool_calls"] == [
        {"tool": "get_security_snapshot", "args": {"ticker": "SBER", "board": "TQBR"}}
    ]


async def test_a_period_is_that_of_the_daily_bars(exchange: Exchange, analyst: Analyst) -> None:
    output = await analyst.ask("Как менялся Газпром в октябре?", user_role="аналитик")
    days = bars(exchange, "GAZP", *MONTH)
    sign = "+" if total_return(days) > 0 else ""
    assert "GAZP с 01.10.2026 по 31.10.2026" in output["text"]
    assert f"с {russian(days[0]['close'])} до {russian(days[-1]['close'])}, доходность" in output["text"]
    assert f"доходность {sign}{russian(total_return(days), 2)}\u00a0%" in output["text"]
    assert f"объём {russian(mean(day['volume'] for day in days), 0)} акций" in output["text"]
    assert [each["Закрытие"] for each in table(output, "GAZP: цены")] == [day["close"] for day in days]
    assert output["debug"]["plan"] == ["Прочитать цены GAZP с 01.10.2026 по 31.10.2026."]


async def test_a_comparison_names_the_best_and_the_worst(exchange: Exchange, analyst: Analyst) -> None:
    output = await analyst.ask("Compare SBER, GAZP and LKOH in October", locale="en-US")
    returns = {ticker: total_return(bars(exchange, ticker, *MONTH)) for ticker in ("SBER", "GAZP", "LKOH")}
    assert f"{max(returns, key=lambda each: returns[each])} did best." in output["text"]
    assert f"{min(returns, key=lambda each: returns[each])} did worst." in output["text"]
    shown = {row["Ticker"]: row["Return, %"] for row in table(output, "Periods")}
    assert shown == pytest.approx(returns, abs=1e-4)


async def test_an_index_names_the_members_that_move_it(exchange: Exchange, analyst: Analyst) -> None:
    output = await analyst.ask("Кто тянет IMOEX вверх?")
    path = "statistics/engines/stock/markets/index/analytics/IMOEX"
    weights = {
        row["ticker"]: row["weight"] for row in rows(exchange, path, "analytics", date="2026-11-20", limit="100")
    }
    market = {row["SECID"]: row["LASTTOPREVPRICE"] for row in rows(exchange, BOARD, "marketdata")}
    effects = {ticker: weight * (market.get(ticker) or 0) for ticker, weight in weights.items()}
    first = max(effects, key=lambda ticker: effects[ticker])
    last = min(effects, key=lambda ticker: effects[ticker])
    assert f"Вверх индекс тянут {first} (+{russian(market[first], 2)}\u00a0%, вес" in output["text"]
    assert f"Вниз тянут {last} ({russian(market[last], 2)}\u00a0%, вес" in output["text"]
    assert f"бумаг {len(weights)}." in output["text"]
    assert f"весят {russian(sum(sorted(weights.values())[-5:]), 2)}\u00a0%" in output["text"]


async def test_the_weight_of_a_member_is_told(analyst: Analyst) -> None:
    output = await analyst.ask("Какой вес Сбербанка и Газпром нефти в индексе Мосбиржи?")
    weight = next(row["Вес, %"] for row in table(output, "Состав IMOEX") if row["Тикер"] == "SBER")
    assert f"Вес SBER в индексе {russian(weight, 2)}\u00a0%." in output["text"]
    assert "SIBN в состав индекса не входит." in output["text"]


async def test_the_role_chooses_the_depth(analyst: Analyst) -> None:
    answers = [(await analyst.ask("Расскажи про Лукойл", user_role=role))["text"] for role in ("CEO", "", "trader")]
    assert [("Волатильность" in text, "Средний дневной объём" in text) for text in answers] == [
        (False, False),
        (True, False),
        (True, True),
    ]


async def test_a_second_message_continues_the_conversation(analyst: Analyst) -> None:
    output = await analyst.ask("Сколько стоит Сбербанк?", "А в октябре?")
    assert output["text"].startswith("SBER с 01.10.2026 по 31.10.2026")


async def test_a_security_without_trades_has_its_previous_price(exchange: Exchange, analyst: Analyst) -> None:
    output = await analyst.ask("Сколько стоит KROT?")
    (security,) = rows(exchange, f"{BOARD}/KROT", "securities")
    assert f"сделок не было, предыдущая цена {russian(security['PREVPRICE'])} руб." in output["text"]


@pytest.mark.parametrize(
    "locale, question, price, turnover",
    [("ru", "Сколько стоит Сбербанк?", r"цена \S+ USD на", r"на \S+ руб\.$"),
     ("en", "What is the price of SBER?", r"price is \S+ USD at", r"value \S+ roubles\.")],
)  # fmt: skip
async def test_prices_in_dollars_are_called_dollars_and_the_turnover_roubles(
    exchange: Exchange, analyst: Analyst, locale: str, question: str, price: str, turnover: str
) -> None:
    exchange.fail("DOLLARS")
    output = await analyst.ask(question, locale=locale, user_role="trader")
    text = output["text"].replace("\u00a0", "")
    day, *rest = re.split(r"(?<=\.) ", text)
    assert re.search(price, day)
    assert len(re.findall(r"\d USD", text)) == 4  # price, change, range, opening
    assert [each for each in rest if re.search(turnover, each)]
    assert output["tables"][0]["rows"][0][2] == "USD"


async def test_a_price_whose_currency_the_exchange_does_not_know_has_none(exchange: Exchange, analyst: Analyst) -> None:
    exchange.fail("NO_CURRENCY")
    text = (await analyst.ask("Сколько стоит Сбербанк?", user_role="trader"))["text"]
    assert text.count("руб.") == 1  # the turnover
    assert re.search(r"последняя цена \S+ на 20\.11\.2026", text)


async def test_a_security_on_its_first_trading_day_has_a_price_and_no_change(
    exchange: Exchange, analyst: Analyst
) -> None:
    exchange.fail("FIRSTDAY")
    output = await analyst.ask("Сколько стоит SBER?")
    assert "предыдущей цены нет" in output["text"]
    assert "%" not in output["text"]


@pytest.mark.parametrize(
    "text, sentence, code",
    [
        ("SBER за 5 лет", "SBER: период слишком длинный, выберите не более двух лет.", "DATE_RANGE_TOO_LARGE"),
        ("Озон в 2019 году", "OZON: за это время у биржи нет данных.", "NO_DATA"),
    ],
)
async def test_an_error_of_a_tool_becomes_a_sentence(analyst: Analyst, text: str, sentence: str, code: str) -> None:
    output = await analyst.ask(text)
    assert output["text"] == sentence
    assert [each["error"] for each in output["debug"]["tool_calls"]] == [code]


async def test_one_failed_security_leaves_the_others_of_a_comparison(analyst: Analyst) -> None:
    output = await analyst.ask("Сравни SBER и QQQQ за месяц")
    assert "доходность" in output["text"]
    assert "«QQQQ»: такой бумаги в списке биржи (TQBR) нет" in output["text"]


async def test_an_unreachable_exchange_becomes_a_sentence(exchange: Exchange, analyst: Analyst) -> None:
    with exchange.unreachable():
        output = await analyst.ask("What is the price of SBER?", locale="en")
    assert output["text"] == "The list of securities: the exchange is unavailable now; ask again later."


async def test_an_exchange_that_fails_after_its_list_becomes_a_sentence(exchange: Exchange, analyst: Analyst) -> None:
    await analyst.ask("Привет!")  # the server caches the list
    with exchange.unreachable():
        output = await analyst.ask("What is the price of SBER?", locale="en")
    assert output["text"] == "SBER: the exchange is unavailable now; ask again later."


async def test_an_exchange_that_fails_before_the_trading_days_becomes_a_sentence(
    exchange: Exchange, analyst: Analyst
) -> None:
    await analyst.ask("Привет!")
    with exchange.unreachable():
        output = await analyst.ask("SBER за 3 торговых дня")
    assert output["text"] == "SBER: биржа сейчас недоступна, повторите вопрос позже."
    assert output["debug"] == {"plan": [], "tool_calls": []}


@pytest.mark.parametrize("count", [1, 3, 10])
async def test_the_last_trading_days_are_days_with_bars(exchange: Exchange, analyst: Analyst, count: int) -> None:
    output = await analyst.ask(f"SBER last {count} trading days")
    (call,) = output["debug"]["tool_calls"]
    days = bars(exchange, "SBER", call["args"]["from_date"], call["args"]["to_date"])
    assert len(days) == count
    assert days[0]["begin"].startswith(call["args"]["from_date"])


@pytest.mark.parametrize(
    "text, sentence",
    [
        ("Цена Лукйола", "Я прочёл «Лукйола» как LKOH (ЛУКОЙЛ). LKOH: последняя цена"),
        ("Цена ТГК", "«ТГК» может значить: TGKA (ТГК-1), TGKB (ТГК-2), TGKN (ТГК-14)."),
        ("Цена SBRE", "нет; проверьте тикер. Похожие: SBER (Сбербанк)."),
        ("Сбер 31 февраля", "Дня «31 февраля» в календаре нет."),
        ("Дивиденды Сбера", "Дивиденды я не сообщаю: таких данных у меня нет."),
        ("Сбер вчера вечером", "Время «вечером» я не понял. Можно назвать день, промежуток между датами"),
        ("Доходность Сбера за месяц с учётом комиссии", "Не понял: «с учётом комиссии». SBER с 20.10.2026"),
    ],
)
async def test_the_answer_says_how_the_question_was_read(analyst: Analyst, text: str, sentence: str) -> None:
    assert sentence in (await analyst.ask(text))["text"]


@pytest.mark.parametrize("locale", ["ru", "en"])
@pytest.mark.parametrize("kind", NoticeKind)
def test_every_notice_has_a_sentence_in_both_languages(kind: NoticeKind, locale: Language) -> None:
    words = [topic.value for topic in Topic] if kind is NoticeKind.NOT_OFFERED else ["SBER"]
    for word in words:
        (sentence,) = write_notices([Notice(kind, (word, "SBER"))], build_catalogue(LISTINGS), locale, "Ask!")
        assert sentence.endswith((".", "?", "!"))
        assert "{" not in sentence
        assert find_false_claims(re.sub("«.*?»|“.*?”", "", sentence), Facts(currency="RUB"), locale, MENTIONS) == ()


async def test_an_unknown_question_is_answered_with_what_can_be_asked(analyst: Analyst) -> None:
    assert "Можно спросить о цене" in (await analyst.ask("Привет!"))["text"]
    output = await analyst.ask("Hello", locale="en")
    assert "Ask about a price" in output["text"]
    assert output["debug"] == {"plan": [], "tool_calls": []}


async def test_the_future_is_unknown(analyst: Analyst) -> None:
    assert "ещё не наступил" in (await analyst.ask("SBER в 2031 году"))["text"]


async def test_each_step_of_the_plan_is_reported(analyst: Analyst) -> None:
    output = await analyst.ask("SBER vs GAZP this year", locale="en")
    assert [(done, total) for done, total, _message in analyst.reports] == [(1, 2), (2, 2)]
    assert {message for _done, _total, message in analyst.reports} == set(output["debug"]["plan"])
