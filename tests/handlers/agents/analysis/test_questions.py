"""Questions in Russian and English, and what is understood of them."""

from __future__ import annotations

from datetime import date

import pytest

from handlers.agents.analysis.periods import Period
from handlers.agents.analysis.planner import MAX_STEPS, plan_steps
from handlers.agents.analysis.questions import REMEMBERED, Kind, Question, understand

FRIDAY = date(2026, 11, 20)
QUESTIONS = """
Какая сейчас цена Сбербанка?                       | price      | SBER           | 2026-11-20 2026-11-20
Сколько стоит Газпром?                             | price      | GAZP           |
Почём лукойл сегодня                               | price      | LKOH           | 2026-11-20 2026-11-20
What is the price of GAZP?                         | price      | GAZP           |
may I ask for the price of SBER                    | price      | SBER           |
Как изменилась цена SBER за неделю?                | period     | SBER           | 2026-11-13 2026-11-20
Что было с акциями Яндекса за последний месяц?     | period     | YDEX           | 2026-10-20 2026-11-20
Как вёл себя ВТБ в октябре?                        | period     | VTBR           | 2026-10-01 2026-10-31
ВТБ в декабре                                      | period     | VTBR           | 2025-12-01 2025-12-31
Мечел в ноябре                                     | period     | MTLR           | 2026-11-01 2026-11-20
за май сбер                                        | period     | SBER           | 2026-05-01 2026-05-31
Динамика GAZP с 1 по 15 октября                    | period     | GAZP           | 2026-10-01 2026-10-15
GAZP с 1 октября по 15 ноября 2025                 | period     | GAZP           | 2025-10-01 2025-11-15
GAZP с 15 по 30 ноября                             | period     | GAZP           | 2026-11-15 2026-11-20
GAZP с 1 декабря по 15 января                      | period     | GAZP           | 2025-12-01 2026-01-15
GAZP с 01.10.2026 по 15.10.2026                    | period     | GAZP           | 2026-10-01 2026-10-15
SBER 1-15 октября                                  | period     | SBER           | 2026-10-01 2026-10-15
Магнит с 5 ноября                                  | period     | MGNT           | 2026-11-05 2026-11-20
Доходность лукойла с начала года                   | period     | LKOH           | 2026-01-01 2026-11-20
Роснефть в прошлом году                            | period     | ROSN           | 2025-01-01 2025-12-31
Сбербанк на прошлой неделе                         | period     | SBER           | 2026-11-09 2026-11-15
Магнит за 2025 год                                 | period     | MGNT           | 2025-01-01 2025-12-31
Норникель в 2024 году                              | period     | GMKN           | 2024-01-01 2024-12-31
Полюс за 3 месяца                                  | period     | PLZL           | 2026-08-20 2026-11-20
Северсталь за последние две недели                 | period     | CHMF           | 2026-11-06 2026-11-20
Аэрофлот за полгода                                | period     | AFLT           | 2026-05-20 2026-11-20
фосагро в третьем квартале 2025                    | period     | PHOR           | 2025-07-01 2025-09-30
SBER вчера                                         | period     | SBER           | 2026-11-19 2026-11-19
Сбер преф за месяц                                 | period     | SBERP          | 2026-10-20 2026-11-20
Татнефть привилегированные за месяц                | period     | TATNP          | 2026-10-20 2026-11-20
Акции Мосбиржи за неделю                           | period     | MOEX           | 2026-11-13 2026-11-20
ZZZZ за месяц                                      | period     | ZZZZ           | 2026-10-20 2026-11-20
How did Sberbank perform over the last month?      | period     | SBER           | 2026-10-20 2026-11-20
show sber since October 1                          | period     | SBER           | 2026-10-01 2026-11-20
LKOH on November 10                                | period     | LKOH           | 2026-11-10 2026-11-10
SBER October 1-15, 2025                            | period     | SBER           | 2025-10-01 2025-10-15
yandex last quarter                                | period     | YDEX           | 2026-07-01 2026-09-30
Gazprom in Q3 2025                                 | period     | GAZP           | 2025-07-01 2025-09-30
magnit ytd                                         | period     | MGNT           | 2026-01-01 2026-11-20
SBER 31 февраля                                    | period     | SBER           | 2026-02-01 2026-02-28
Расскажи про Новатэк                               | overview   | NVTK           |
Tell me about Rosneft                              | overview   | ROSN           |
Сравни Сбербанк и ВТБ за месяц                     | comparison | SBER VTBR      | 2026-10-20 2026-11-20
Что лучше: Газпром или Новатэк?                    | comparison | GAZP NVTK      |
SBER vs GAZP this year                             | comparison | SBER GAZP      | 2026-01-01 2026-11-20
Compare Lukoil and Rosneft in October 2025         | comparison | LKOH ROSN      | 2025-10-01 2025-10-31
Кто тянул IMOEX вверх?                             | index      | IMOEX          |
Состав индекса Мосбиржи                            | index      | IMOEX          |
Лидеры роста                                       | index      | IMOEX          |
Индекс РТС сегодня                                 | index      | RTSI           | 2026-11-20 2026-11-20
Какой вес Сбербанка в индексе Мосбиржи?            | index      | SBER IMOEX     |
top movers of the Moscow Exchange index            | index      | IMOEX          |
index IMOEX on 2026-11-02                          | index      | IMOEX          | 2026-11-02 2026-11-02
SBER в 2030 году                                   | future     | SBER           | 2030-01-01 2030-01-01
Привет!                                            | unknown    |                |
Какая погода завтра?                               | unknown    |                |
WHAT SHOULD WE HAVE FOR LUNCH                      | unknown    |                |
"""
ROWS = [[cell.strip() for cell in line.split("|")] for line in QUESTIONS.strip().split("\n")]


@pytest.mark.parametrize("text, kind, subjects, days", ROWS)
def test_a_question_is_understood(text: str, kind: str, subjects: str, days: str) -> None:
    question = understand([text], FRIDAY)
    assert question.kind.value == kind
    assert [*question.securities, *filter(None, [question.index])] == subjects.split()
    assert question.period == (Period(*map(date.fromisoformat, days.split())) if days else None)


def test_a_question_without_a_subject_is_about_the_subject_of_an_earlier_one() -> None:
    question = understand(["Сколько стоит Сбербанк?", "Спасибо!", "А за месяц?"], FRIDAY)
    assert (question.kind, question.securities) == (Kind.PERIOD, ("SBER",))


@pytest.mark.parametrize("between, kind", [(REMEMBERED - 1, Kind.PERIOD), (REMEMBERED, Kind.UNKNOWN)])
def test_only_the_last_messages_give_a_subject(between: int, kind: Kind) -> None:
    assert understand(["Сколько стоит Сбербанк?", *["Спасибо!"] * between, "А за месяц?"], FRIDAY).kind is kind


def test_thanks_after_an_answer_are_no_question_about_it() -> None:
    assert understand(["Сколько стоит Сбербанк?", "Спасибо!"], FRIDAY).kind is Kind.UNKNOWN


def test_hours_are_asked_for_in_words() -> None:
    assert understand(["почасовые цены SBER 19.11.2026"], FRIDAY).hourly


def test_more_than_five_securities_are_shortened_to_five() -> None:
    question = understand(["SBER, GAZP, LKOH, ROSN, NVTK, VTBR за год"], FRIDAY)
    assert question.securities == ("SBER", "GAZP", "LKOH", "ROSN", "NVTK")
    assert question.is_shortened


@pytest.mark.parametrize(
    "text, tools",
    [
        ("Сколько стоит SBER?", ["get_security_snapshot SBER"]),
        ("SBER за неделю", ["get_ohlcv_timeseries SBER"]),
        ("Расскажи про SBER", ["get_security_snapshot SBER", "get_ohlcv_timeseries SBER"]),
        ("SBER или GAZP", ["get_ohlcv_timeseries SBER", "get_ohlcv_timeseries GAZP"]),
        ("Состав IMOEX", ["get_index_constituents_metrics IMOEX"]),
        ("Вес SBER в IMOEX", ["get_index_constituents_metrics IMOEX"]),
        ("SBER против IMOEX за год", ["get_index_constituents_metrics IMOEX", "get_ohlcv_timeseries SBER"]),
        ("Привет", []),
        ("SBER в 2031 году", []),
    ],
)
def test_a_plan_has_the_calls_that_answer_the_question(text: str, tools: list[str]) -> None:
    assert [f"{step.tool.name} {step.subject}" for step in plan_steps(understand([text], FRIDAY), FRIDAY)] == tools


def test_a_plan_has_at_most_five_steps() -> None:
    question = Question(
        kind=Kind.INDEX,
        securities=("SBER", "GAZP", "LKOH", "ROSN", "NVTK"),
        index="IMOEX",
        period=Period(date(2026, 1, 1), FRIDAY),
    )
    assert len(plan_steps(question, FRIDAY)) == MAX_STEPS == 5
