"""Questions in Russian and English, and what is understood of them.

Each line of `corpus/` is a question, its calls, and its notices. `//` divides the messages of a conversation, and `-`
are no calls. The expectations were written before the code; "today" is a Friday.
"""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from handlers.agents.questions.catalogue import build_catalogue
from handlers.agents.questions.notices import Notice, NoticeKind
from handlers.agents.questions.planner import MAX_STEPS, Step, plan_steps
from handlers.agents.questions.questions import REMEMBERED, Kind, Question, understand
from tests.handlers.agents.analysis.listings import LISTINGS

FRIDAY = date(2026, 11, 20)
CATALOGUE = build_catalogue(LISTINGS)
CORPUS = {
    f"{file.stem}: {line.partition('|')[0].strip()}": [cell.strip() for cell in line.split("|")]
    for file in sorted((Path(__file__).parent / "corpus").glob("*.txt"))
    for line in file.read_text(encoding="utf-8").splitlines()
}


def ask(*texts: str) -> Question:
    return understand(texts, FRIDAY, CATALOGUE)


def write_step(step: Step, question: Question) -> str:
    """Return a call as the corpus writes it."""
    arguments = step.request.model_dump(mode="json")
    if step.tool.name == "get_security_snapshot":
        return f"price {step.subject}"
    if step.tool.name == "get_index_constituents_metrics":
        return f"index {step.subject} {arguments['as_of_date']}"
    kind = "hours" if arguments["interval"] == "1h" else "bars"
    days = (
        f"{question.sessions} trading days" if question.sessions else f"{arguments['from_date']} {arguments['to_date']}"
    )
    return f"{kind} {step.subject} {days}"


def write_notice(notice: Notice) -> str:
    """Return a notice as the corpus writes it."""
    separator = ", " if notice.kind is NoticeKind.NOT_UNDERSTOOD else " "
    return f"{notice.kind.value} {separator.join(notice.words)}".strip()


@pytest.mark.parametrize("name", CORPUS)
def test_a_question_has_its_plan_or_says_why_it_has_none(name: str) -> None:
    texts, calls, notices = CORPUS[name]
    question = ask(*(text.strip() for text in texts.split("//")))
    steps = "; ".join(write_step(step, question) for step in plan_steps(question, FRIDAY))
    assert (steps or "-", "; ".join(map(write_notice, question.notices)).lower()) == (calls, notices.lower())
    assert (question.kind is Kind.REJECTED) == (calls == "-")


def test_the_corpus_has_questions_of_both_languages_and_rejections() -> None:
    english = [text for text, _calls, _notices in CORPUS.values() if text.isascii()]
    rejected = [text for text, calls, _notices in CORPUS.values() if calls == "-"]
    assert len(CORPUS) > 300
    assert len(english) > 70
    assert len(rejected) > 100


def test_a_rejected_question_says_why() -> None:
    assert all(ask(text.split("//")[-1]).notices for text, calls, _notices in CORPUS.values() if calls == "-")


@pytest.mark.parametrize("between, kind", [(REMEMBERED - 1, Kind.SECURITY), (REMEMBERED, Kind.REJECTED)])
def test_only_the_last_messages_give_a_subject(between: int, kind: Kind) -> None:
    assert ask("Сколько стоит Сбербанк?", *["Спасибо!"] * between, "А за месяц?").kind is kind


def test_more_than_five_securities_are_shortened_to_five() -> None:
    question = ask("SBER, GAZP, LKOH, ROSN, NVTK, VTBR за год")
    assert question.securities == ("SBER", "GAZP", "LKOH", "ROSN", "NVTK")
    assert question.notices == (Notice(NoticeKind.SHORTENED, ("VTBR",)),)


def test_a_plan_has_at_most_five_steps() -> None:
    question = ask("SBER, GAZP, LKOH, ROSN и NVTK против IMOEX за год")
    assert len(question.securities) == 5
    assert len(plan_steps(question, FRIDAY)) == MAX_STEPS == 5
