"""Windows of bars between two times.

Bars of a width are numbered from 1970 in UTC, where every day has 24 hours.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Window:
    """Bars that follow each other."""

    first: int
    """Number of the first bar."""
    stop: int
    """Number of the bar after the last."""
    width: timedelta
    """Width of a bar."""

    @classmethod
    def between(cls, start: datetime, end: datetime, width: timedelta) -> "Window":
        """Return the bars that lie wholly between *start* and *end*."""
        return cls(-((_EPOCH - start) // width), (end - _EPOCH) // width, width)

    @property
    def bars(self) -> int:
        """Number of bars."""
        return max(0, self.stop - self.first)

    @property
    def start(self) -> datetime:
        """Opening of the first bar. Raises OverflowError before the year 1 and after 9999."""
        return _EPOCH + self.first * self.width

    @property
    def end(self) -> datetime:
        """Closing of the last bar. Raises OverflowError before the year 1 and after 9999."""
        return _EPOCH + self.stop * self.width

    def closed_at(self, now: datetime) -> "Window":
        """Return the bars that have closed at *now*."""
        return Window(self.first, min(self.stop, (now - _EPOCH) // self.width), self.width)

    def since(self, first: int) -> "Window":
        """Return the bars from that number on, but none before 1970."""
        return Window(max(0, first), max(0, self.stop), self.width)

    def completeness(self, minutes: int) -> float:
        """Return the share of its minutes that *minutes* are, from 0 to 1."""
        return min(1.0, minutes * timedelta(minutes=1) / (self.bars * self.width))
