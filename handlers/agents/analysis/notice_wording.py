"""Sentences of notices, in Russian and English."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from handlers.agents.numerals import Language
from handlers.agents.questions.catalogue import Catalogue
from handlers.agents.questions.notices import Notice, NoticeKind, Topic

_MOST_CANDIDATES = 5
"""Number of securities that a question back names."""

_TEXTS: Mapping[Language, Mapping[NoticeKind, str]] = {
    "ru": {
        NoticeKind.CORRECTED: "Я прочёл «{word}» как {names}.",
        NoticeKind.SHORTENED: "В ответе не хватило места для бумаг: {all}.",
        NoticeKind.REVERSED: "«{word}»: дни стоят в обратном порядке, я взял тот же период от раннего дня к позднему.",
        NoticeKind.ENDS_TODAY: "Период ещё не закончился, ответ по сегодняшний день.",
        NoticeKind.NOT_OFFERED: "{topic} я не сообщаю: таких данных у меня нет.",
        NoticeKind.UNKNOWN_NAME: "«{word}»: такой бумаги в списке биржи (TQBR) нет; проверьте тикер.{similar}",
        NoticeKind.AMBIGUOUS: "«{word}» может значить: {names}. Уточните, о какой бумаге речь.",
        NoticeKind.NO_PREFERRED: "{all}: привилегированных акций на бирже (TQBR) нет.",
        NoticeKind.NO_SUCH_DAY: "Дня «{word}» в календаре нет.",
        NoticeKind.UNKNOWN_PERIOD: "Время «{word}» я не понял. {periods}",
        NoticeKind.FUTURE: "«{word}»: этот период ещё не наступил, я знаю только прошлые и текущие цены.",
        NoticeKind.EXCLUSION: "Исключений («{word}») я не понимаю: назовите бумаги, о которых нужен ответ.",
        NoticeKind.NEEDS_TWO: "Для сравнения назовите ещё бумагу: в вопросе есть только {all}.",
        NoticeKind.NO_SUBJECT: "О какой бумаге или каком индексе вопрос? {help}",
        NoticeKind.NOT_UNDERSTOOD: "Не понял: «{phrases}».",
        NoticeKind.HELP: "{help}",
    },
    "en": {
        NoticeKind.CORRECTED: "I read “{word}” as {names}.",
        NoticeKind.SHORTENED: "The answer has no room for {all}.",
        NoticeKind.REVERSED: "“{word}” has its days in the wrong order; I took the same period from the earlier day to the later.",
        NoticeKind.ENDS_TODAY: "The period is not over; the answer ends today.",
        NoticeKind.NOT_OFFERED: "I do not offer {topic}; the tools have no such data.",
        NoticeKind.UNKNOWN_NAME: "“{word}”: the exchange's list (TQBR) has no such security; check the ticker.{similar}",
        NoticeKind.AMBIGUOUS: "“{word}” can mean {names}. Which do you mean?",
        NoticeKind.NO_PREFERRED: "{all}: the exchange (TQBR) has no preferred shares.",
        NoticeKind.NO_SUCH_DAY: "No calendar has the day “{word}”.",
        NoticeKind.UNKNOWN_PERIOD: "I do not understand the time “{word}”. {periods}",
        NoticeKind.FUTURE: "“{word}”: this period has not begun; I know only past and current prices.",
        NoticeKind.EXCLUSION: "I do not understand exclusions (“{word}”): name the securities that you want.",
        NoticeKind.NEEDS_TWO: "Name another security to compare with {all}.",
        NoticeKind.NO_SUBJECT: "Which security or index do you mean? {help}",
        NoticeKind.NOT_UNDERSTOOD: "I did not understand “{phrases}”.",
        NoticeKind.HELP: "{help}",
    },
}
_TOPICS: Mapping[Language, Mapping[Topic, str]] = {
    "ru": {
        Topic.DIVIDENDS: "Дивиденды",
        Topic.FORECASTS: "Прогнозы",
        Topic.MARKET_CAP: "Капитализацию",
        Topic.FUNDAMENTALS: "Отчётность и мультипликаторы компаний",
        Topic.NEWS: "Новости и причины движений",
        Topic.ADVICE: "Советы, покупать или продавать,",
        Topic.OTHER_MARKETS: "Цены вне рынка акций (валюты, облигации, фонды, срочный рынок, сырьё)",
        Topic.CURRENCY: "Цены в валюте, кроме рублей,",
        Topic.INDICATORS: "Индикаторы и корреляции",
        Topic.ORDER_BOOK: "Заявки и стакан",
        Topic.EXTREMES: "Максимумы, минимумы и средние цены за период",
        Topic.INDEX_LEVEL: "Значение индекса, его историю, объём и волатильность (есть состав, веса и изменения бумаг за день)",
        Topic.OTHER_INDICES: "Индексы, кроме IMOEX и RTSI,",
    },
    "en": {
        Topic.DIVIDENDS: "dividends",
        Topic.FORECASTS: "forecasts",
        Topic.MARKET_CAP: "market capitalisation",
        Topic.FUNDAMENTALS: "company reports and multiples",
        Topic.NEWS: "news and reasons of moves",
        Topic.ADVICE: "advice to buy or sell",
        Topic.OTHER_MARKETS: "prices outside the share market (currencies, bonds, funds, derivatives, commodities)",
        Topic.CURRENCY: "prices in other currencies than roubles",
        Topic.INDICATORS: "indicators and correlations",
        Topic.ORDER_BOOK: "orders and order books",
        Topic.EXTREMES: "highs, lows and average prices of a period",
        Topic.INDEX_LEVEL: "the level of an index, its history, volume and volatility (only members, weights and changes of the day)",
        Topic.OTHER_INDICES: "indices other than IMOEX and RTSI",
    },
}
_PERIODS: Mapping[Language, str] = {
    "ru": (
        "Можно назвать день, промежуток между датами, неделю, месяц, квартал, полугодие или год, а также «последние 3 месяца», "
        "«последние 5 торговых дней», «год назад», «с начала года» или «с понедельника»."
    ),
    "en": (
        "Name a day, a range of dates, a week, a month, a calendar quarter or a year, or “the last 3 months”, “the last 5 trading "
        "days”, “a year ago”, “since the beginning of the year” or “since Monday”."
    ),
}  # fmt: skip
_SIMILAR: Mapping[Language, str] = {"ru": " Похожие: {names}.", "en": " Similar: {names}."}


def write_notices(notices: Sequence[Notice], catalogue: Catalogue, language: Language, help_text: str) -> list[str]:
    """Return a sentence for each of *notices*; *help_text* says what can be asked."""
    return [_write(notice, catalogue, language, help_text) for notice in notices]


def _write(notice: Notice, catalogue: Catalogue, language: Language, help_text: str) -> str:
    word, others = (notice.words[0], notice.words[1:]) if notice.words else ("", ())
    names = ", ".join(catalogue.describe(each) for each in others[:_MOST_CANDIDATES])
    topic = _TOPICS[language][Topic(word)] if notice.kind is NoticeKind.NOT_OFFERED else ""
    return _TEXTS[language][notice.kind].format(
        word=word,
        names=names,
        all=", ".join(notice.words),
        phrases="», «".join(notice.words) if language == "ru" else "”, “".join(notice.words),
        topic=topic,
        similar=_SIMILAR[language].format(names=names) if names else "",
        periods=_PERIODS[language],
        help=help_text,
    )
