"""Answers in sentences, whose numbers all stand in the results of the tools."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from generated.moex.iss.models import (
    GetIndexConstituentsMetricsResult,
    GetOhlcvTimeseriesResult,
    GetSecuritySnapshotResult,
    GetSecuritySnapshotResultData,
)
from handlers.agents.analysis.depth import Depth
from handlers.agents.analysis.findings import Finding
from handlers.agents.analysis.index_explanation import IndexExplanation
from handlers.agents.analysis.wording import Wording
from handlers.agents.numerals import write_date, write_number, write_percent, write_time
from handlers.agents.questions.questions import Kind, Question
from toolaccord.errors import CallFailed, ToolError, UndeclaredError


def explain(question: Question, findings: Sequence[Finding], wording: Wording, depth: Depth) -> str:
    """Return the answer to *question*.

    A failed call becomes a sentence.
    """
    sentences = _Sentences(question, wording, depth)
    parts = [sentence for finding in findings for sentence in sentences.describe(finding)]
    parts.extend(
        sentences.compare([each.outcome for each in findings if isinstance(each.outcome, GetOhlcvTimeseriesResult)])
    )
    return " ".join(parts)


def describe_error(subject: str, error: ToolError | CallFailed, wording: Wording) -> str:
    """Return a sentence about the failure of a call for *subject*."""
    code = error.code if isinstance(error, ToolError | UndeclaredError) else ""
    return wording.errors.get(code, wording.errors[""]).format(subject=subject)


class _Sentences:
    """Sentences about findings, in one language and depth."""

    def __init__(self, question: Question, wording: Wording, depth: Depth) -> None:
        self._question, self._wording, self._depth = question, wording, depth
        self._language = wording.language

    def describe(self, finding: Finding) -> Iterator[str]:
        """Yield sentences about the outcome of one call."""
        outcome = finding.outcome
        if isinstance(outcome, GetSecuritySnapshotResult):
            yield from self._describe_price(outcome)
        elif isinstance(outcome, GetOhlcvTimeseriesResult):
            yield from self._describe_period(outcome)
        elif isinstance(outcome, GetIndexConstituentsMetricsResult):
            yield from IndexExplanation(self._question, self._wording, self._depth).describe(outcome)
        else:
            yield describe_error(finding.step.subject, outcome, self._wording)

    def compare(self, results: Sequence[GetOhlcvTimeseriesResult]) -> Iterator[str]:
        """Yield sentences about the best, the worst and the calmest of securities."""
        returns = [
            (r.metrics.total_return_pct, r.metadata.ticker)
            for r in results
            if r.metrics and r.metrics.total_return_pct is not None
        ]
        if self._question.kind is not Kind.COMPARISON or len(returns) < 2:
            return
        ordered = sorted(returns)
        yield self._wording.best.format(ticker=ordered[-1][1])
        yield self._wording.worst.format(ticker=ordered[0][1])
        calm = [
            (r.metrics.annualized_volatility, r.metadata.ticker)
            for r in results
            if r.metrics and r.metrics.annualized_volatility is not None
        ]
        if calm and self._depth > Depth.BRIEF:
            volatility, ticker = min(calm)
            yield self._wording.calmest.format(ticker=ticker, percent=write_percent(volatility, self._language))

    def _describe_price(self, result: GetSecuritySnapshotResult) -> Iterator[str]:
        data = result.data
        more = data.model_extra or {}
        currency = more.get("price_currency")
        facts = {
            "ticker": result.metadata.ticker,
            "price": self._amount(data.last_price, currency),
            "time": write_time(result.metadata.as_of, self._language),
        }
        if more.get("price_field") == "PREVPRICE":
            yield self._wording.untraded.format(**facts)
            return
        if more.get("change_field") == "NONE":
            yield self._wording.first_price.format(**facts)
        else:
            yield self._wording.price.format(**facts, change=self._change(data, currency))
        if self._depth > Depth.BRIEF and data.low_price is not None and data.high_price is not None:
            high = self._amount(data.high_price, currency)
            yield _end(self._wording.day_range.format(low=self._number(data.low_price), high=high))
        if self._depth is Depth.DETAILED:
            yield from self._describe_day(result)

    def _describe_day(self, result: GetSecuritySnapshotResult) -> Iterator[str]:
        data = result.data
        more = data.model_extra or {}
        if data.open_price is not None:
            yield _end(self._wording.opening.format(open=self._amount(data.open_price, more.get("price_currency"))))
        if data.volume is not None and data.value is not None:
            value = self._amount(data.value, more.get("value_currency"))
            yield _end(self._wording.turnover.format(volume=self._number(data.volume), value=value))
        if result.metrics and result.metrics.intraday_volatility_estimate is not None:
            percent = write_percent(result.metrics.intraday_volatility_estimate, self._language)
            yield self._wording.day_volatility.format(percent=percent)

    def _describe_period(self, result: GetOhlcvTimeseriesResult) -> Iterator[str]:
        metrics = result.metrics
        facts = {
            "ticker": result.metadata.ticker,
            "first": write_date(result.metadata.from_date, self._language),
            "last": write_date(result.metadata.to_date, self._language),
        }
        if not result.data:
            yield self._wording.errors["NO_DATA"].format(subject=result.metadata.ticker)
            return
        facts["end"] = self._number(result.data[-1].close)
        if metrics is None or metrics.total_return_pct is None:
            yield self._wording.one_bar.format(**facts)
            return
        percent = write_percent(metrics.total_return_pct, self._language, signed=True)
        yield self._wording.period.format(**facts, start=self._number(result.data[0].close), percent=percent)
        if self._depth > Depth.BRIEF and metrics.annualized_volatility is not None:
            yield self._wording.volatility.format(percent=write_percent(metrics.annualized_volatility, self._language))
        if self._depth is Depth.DETAILED and metrics.avg_daily_volume is not None:
            yield self._wording.volume.format(volume=self._number(metrics.avg_daily_volume, 0))

    def _change(self, data: GetSecuritySnapshotResultData, currency: str | None) -> str:
        percent, amount = data.price_change_pct, data.price_change_abs
        if not percent and not amount:
            return self._wording.unchanged
        template = self._wording.rose if (amount or percent) > 0 else self._wording.fell
        written = write_percent(abs(percent), self._language)
        return template.format(percent=written, amount=self._amount(abs(amount), currency))

    def _amount(self, value: float, currency: str | None) -> str:
        """Return *value* with the word of its *currency*, if that is known."""
        word = self._wording.currencies.get(currency, currency) if currency else ""
        return f"{self._number(value)} {word}".rstrip()

    def _number(self, value: float, decimals: int | None = None) -> str:
        return write_number(value, self._language, decimals)


def _end(sentence: str) -> str:
    """Return *sentence* with one point at its end, also after an abbreviation."""
    return f"{sentence.rstrip('.')}."
