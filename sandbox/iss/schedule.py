"""The boards of the stand-in, and its days and hours of trading."""

from collections.abc import Mapping

from sandbox.iss.moment import Moment
from sandbox.iss.sessions import trading_hours, unusual_days, usual_hours
from sandbox.iss.shares import BOARDS, all_shares
from sandbox.iss.tables import Block, Blocks, parse_columns

BOARD = parse_columns("id:int32 board_group_id:int32 boardid title is_traded:int32")
ENGINE = parse_columns("id:int32 name title")
WEEK_DAY = parse_columns("week_day:int32 is_work_day:int32 start_time:time stop_time:time")
DAY = parse_columns("date:date is_work_day:int32 start_time:time stop_time:time")


def render_boards(moment: Moment) -> Blocks:
    """Return the boards for shares."""
    traded = {share.board for share in all_shares().values() if share.is_traded_on(moment.session)}
    rows = [
        {"id": number, "board_group_id": 57, "boardid": board, "title": title, "is_traded": int(board in traded)}
        for number, (board, title) in enumerate(BOARDS.items(), 1)
    ]
    return {"boards": Block(BOARD, rows)}


def render_engine(moment: Moment) -> Blocks:
    """Return the usual week, and the days of last year, this and the next that differ from it."""
    week = [{"week_day": number + 1, **_hours(usual_hours(number))} for number in range(7)]
    years = range(moment.session.year - 1, moment.session.year + 2)
    days = [{"date": day.isoformat(), **_hours(trading_hours(day))} for year in years for day in unusual_days(year)]
    engine = [{"id": 1, "name": "stock", "title": "Фондовый рынок и рынок депозитов"}]
    return {"engine": Block(ENGINE, engine), "timetable": Block(WEEK_DAY, week), "dailytable": Block(DAY, days)}


def _hours(hours: range) -> Mapping[str, object]:
    """Return the columns of a day with these trading hours."""
    start, stop = (f"{hours[0]:02}:00:00", f"{hours[-1]:02}:59:59") if hours else (None, None)
    return {"is_work_day": int(bool(hours)), "start_time": start, "stop_time": stop}
