"""Log records that a test reads."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager


class _Collector(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Append *record*."""
        self.records.append(record)


@contextmanager
def capture_logs(level: int = logging.INFO) -> Iterator[list[logging.LogRecord]]:
    """Yield a list to which every log record at *level* or above is appended."""
    root, collector = logging.getLogger(), _Collector()
    before = root.level
    root.addHandler(collector)
    root.setLevel(level)
    try:
        yield collector.records
    finally:
        root.removeHandler(collector)
        root.setLevel(before)
