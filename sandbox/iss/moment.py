"""What time it is on the exchange, and what a caller can know by then."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from sandbox.iss import sessions
from sandbox.iss.bars import Bar, day_bar
from sandbox.iss.shares import Share

DELAY = timedelta(minutes=15)
"""How old the last trade is for a caller who has not signed in."""


@dataclass(frozen=True, slots=True)
class Moment:
    """A time of Moscow, without an offset."""

    now: datetime

    @property
    def known(self) -> datetime:
        """What happened later than this is not told yet."""
        return self.now - DELAY

    @property
    def session(self) -> date:
        """The day that is traded, or was the last to be."""
        return sessions.session(self.known)

    def traded_at(self) -> datetime:
        """The time of the session's last trade."""
        return min(self.known, sessions.end(self.session))

    def today(self, share: Share) -> Bar | None:
        """The session of *share* so far; None without a trade."""
        return day_bar(share, self.session, self.known)

    def before(self, share: Share) -> Bar | None:
        """The last day before this session on which *share* was traded; None if it never was."""
        day = min(self.session - sessions.DAY, share.until)
        while not sessions.hours(day) and day > share.since:
            day -= sessions.DAY
        return day_bar(share, day, self.known) if share.trades(day) and sessions.hours(day) else None
