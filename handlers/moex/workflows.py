"""Workflows of an analyst, as prompts for a language model with the tools of moex-iss-mcp."""

from datetime import date
from typing import Literal

from toolaccord.content import Message, Text

Language = Literal["ru", "en"]

_NAMES = {"ru": "Russian", "en": "English"}
_RULES = """\
Use only numbers of the results, with their units. Do not guess: name a tool that failed, and its error. Trades may be \
15 minutes old."""


def describe_security(ticker: str, days: tuple[date, date], language: Language) -> list[Message]:
    """Return the prompt for an overview of one security, today and over some *days*."""
    return _write(
        f"Give an overview of the security {ticker} of the Moscow Exchange.",
        [f"Call get_security_snapshot for {ticker}.", _bars(ticker, days)],
        "Tell the last price and its change today, how liquid the security is, and its return and volatility from "
        f"{days[0]} to {days[1]}.",
        language,
    )


def compare_securities(tickers: tuple[str, str], days: tuple[date, date], language: Language) -> list[Message]:
    """Return the prompt for a comparison of two securities over some *days*."""
    return _write(
        f"Compare the securities {' and '.join(tickers)} of the Moscow Exchange from {days[0]} to {days[1]}.",
        [_bars(ticker, days) for ticker in tickers],
        "Put total_return_pct, annualized_volatility and avg_daily_volume of both into a table. Then say in two "
        "sentences which one did better, and at what risk.",
        language,
    )


def explain_index(index: str, day: date, language: Language) -> list[Message]:
    """Return the prompt for the securities that move an index."""
    return _write(
        f"Explain what moves the index {index} of the Moscow Exchange today.",
        [
            f"Call get_index_constituents_metrics for {index} with as_of_date {day}.",
            "Order the members by weight_pct times price_change_pct. This number serves the order alone.",
        ],
        "Name the five members that lift the index most, and the five that press it most, with weight and change. Say "
        "how concentrated it is, by top5_weight_pct. The tools have no level of the index, so give none.",
        language,
    )


def _bars(ticker: str, days: tuple[date, date]) -> str:
    return f"Call get_ohlcv_timeseries for {ticker} from {days[0]} to {days[1]} with the interval 1d."


def _write(task: str, steps: list[str], answer: str, language: Language) -> list[Message]:
    """Return one message of the user: a task, its steps, and the answer that is wanted."""
    numbered = "\n".join(f"{number}. {step}" for number, step in enumerate(steps, 1))
    return [Message("user", Text(f"{task}\n\n{numbered}\n\n{answer} {_RULES} Answer in {_NAMES[language]}."))]
