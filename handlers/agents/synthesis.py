"""Votes of strategies, and the action that they lead to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

Action: TypeAlias = Literal["BUY", "SELL", "HOLD"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Votes:
    """Numbers of strategies by their current signal."""

    requested: int
    """Strategies whose signals were requested; those without a current signal have no vote."""
    bullish: int
    """Strategies that signal BUY."""
    bearish: int
    """Strategies that signal SELL."""
    neutral: int
    """Strategies that signal HOLD."""

    @property
    def total(self) -> int:
        """Number of all strategies with a current signal."""
        return self.bullish + self.bearish + self.neutral

    @property
    def absent(self) -> int:
        """Number of requested strategies without a vote."""
        return self.requested - self.total

    @property
    def has_quorum(self) -> bool:
        """True if more than half of the requested strategies vote, or if none was requested."""
        return self.total > self.absent or not self.requested

    @property
    def agreement(self) -> int:
        """Number of strategies with the most frequent signal."""
        return max(self.bullish, self.bearish, self.neutral)

    @property
    def leader(self) -> Action:
        """The most frequent signal; HOLD if two are equally frequent, or without a vote."""
        counts: dict[Action, int] = {"BUY": self.bullish, "SELL": self.bearish, "HOLD": self.neutral}
        leaders = [action for action, count in counts.items() if count == self.agreement]
        return leaders[0] if len(leaders) == 1 else "HOLD"

    @property
    def action(self) -> Action:
        """The leader, unless the strategies without a vote could have changed it; then HOLD.

        Such a leader has a lead of more than their number, and so a quorum votes.
        """
        _, second, first = sorted((self.bullish, self.bearish, self.neutral))
        return self.leader if first > second + self.absent else "HOLD"


def count_votes(signals: Iterable[Action], requested: int) -> Votes:
    """Return the votes of strategies with these *signals*, of a *requested* number."""
    counts = Counter(signals)
    return Votes(requested=requested, bullish=counts["BUY"], bearish=counts["SELL"], neutral=counts["HOLD"])
