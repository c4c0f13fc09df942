"""Sentences about an index and its members."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import AwareDatetime, TypeAdapter

from generated.moex.iss.models import GetIndexConstituentsMetricsResult, GetIndexConstituentsMetricsResultDataItem
from handlers.agents.analysis.depth import Depth
from handlers.agents.analysis.wording import Wording
from handlers.agents.numerals import write_date, write_number, write_percent, write_time
from handlers.agents.questions.questions import Question

_NAMED = {Depth.BRIEF: 3, Depth.STANDARD: 5, Depth.DETAILED: 10}
"""Number of members that a sentence names."""


def effect(member: GetIndexConstituentsMetricsResultDataItem) -> float:
    """Return weight times change of the day, the effect on the index; 0 if that is unknown."""
    return member.weight_pct * (member.price_change_pct or 0)


@dataclass(frozen=True, slots=True)
class IndexExplanation:
    """Sentences about an index, in one language and depth."""

    question: Question
    wording: Wording
    depth: Depth

    def describe(self, result: GetIndexConstituentsMetricsResult) -> Iterator[str]:
        """Yield sentences about the composition, the asked-for members, leaders and losers."""
        yield from self._describe_composition(result)
        yield from self._describe_asked(result)
        yield from self._describe_effects(result)
        as_of = ((result.metrics.model_extra or {}) if result.metrics else {}).get("prices_as_of")
        if as_of is not None:
            time = write_time(TypeAdapter(AwareDatetime).validate_python(as_of), self.wording.language)
            yield self.wording.prices_as_of.format(time=time)

    def _describe_composition(self, result: GetIndexConstituentsMetricsResult) -> Iterator[str]:
        metrics = result.metrics
        if metrics is not None and metrics.num_constituents is not None:
            yield self.wording.index.format(
                index=result.metadata.index_ticker,
                day=write_date(result.metadata.as_of_date, self.wording.language),
                count=write_number(metrics.num_constituents, self.wording.language),
            )
        if metrics is not None and metrics.top5_weight_pct is not None and self.depth > Depth.BRIEF:
            yield self.wording.top5.format(percent=self._percent(metrics.top5_weight_pct))

    def _describe_asked(self, result: GetIndexConstituentsMetricsResult) -> Iterator[str]:
        """Yield sentences about the members that the question names."""
        members = {member.ticker: member for member in result.data}
        for ticker in self.question.securities:
            member = members.get(ticker)
            if member is None:
                yield self.wording.no_member.format(ticker=ticker)
                continue
            yield self.wording.weight.format(ticker=ticker, weight=self._percent(member.weight_pct))
            if member.price_change_pct is not None:
                change = self._percent(member.price_change_pct, signed=True)
                yield self.wording.member_change.format(ticker=ticker, change=change)

    def _describe_effects(self, result: GetIndexConstituentsMetricsResult) -> Iterator[str]:
        """Yield sentences about the members that move the index most, in both directions."""
        ordered = sorted(result.data, key=effect)
        named = _NAMED[self.depth]
        up = [member for member in reversed(ordered) if effect(member) > 0][:named]
        down = [member for member in ordered if effect(member) < 0][:named]
        yield self.wording.up.format(parts=self._list(up)) if up else self.wording.nobody_up
        yield self.wording.down.format(parts=self._list(down)) if down else self.wording.nobody_down

    def _list(self, members: list[GetIndexConstituentsMetricsResultDataItem]) -> str:
        return ", ".join(
            self.wording.member.format(
                ticker=member.ticker,
                change=self._percent(member.price_change_pct or 0, signed=True),
                weight=self._percent(member.weight_pct),
            )
            for member in members
        )

    def _percent(self, value: float, *, signed: bool = False) -> str:
        return write_percent(value, self.wording.language, signed=signed)
