"""The exchange's time, and the data that are published by then."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from sandbox.iss import sessions
from sandbox.iss.bars import Bar, day_bar
from sandbox.iss.shares import Share

DELAY = timedelta(minutes=15)
"""The delay of trades for a caller without a subscription."""


@dataclass(frozen=True, slots=True)
class Moment:
    """A Moscow time, without an offset."""

    now: datetime

    @property
    def published_until(self) -> datetime:
        """The time of the newest published data."""
        return self.now - DELAY

    @property
    def session(self) -> date:
        """The current or last trading day."""
        return sessions.last_session(self.published_until)

    def last_trade_time(self) -> datetime:
        """Return the time of the session's last published trade."""
        return min(self.published_until, sessions.session_end(self.session))

    def current_bar(self, share: Share) -> Bar | None:
        """Return the bar of the session so far; None without a trade."""
        return day_bar(share, self.session, self.published_until)

    def previous_bar(self, share: Share) -> Bar | None:
        """Return the bar of the last trading day of *share* before this session; None without one."""
        day = min(self.session - sessions.DAY, share.until)
        while not sessions.trading_hours(day) and day > share.since:
            day -= sessions.DAY
        is_traded = share.is_traded_on(day) and sessions.trading_hours(day)
        return day_bar(share, day, self.published_until) if is_traded else None
