"""The steps of a call that knows beforehand how many it takes."""

from toolpact import Progress


class Steps:
    """Counts steps, and tells *progress* of each."""

    def __init__(self, progress: Progress, total: int) -> None:
        self._progress = progress
        self._total = total
        self._count = 0

    async def done(self, what: str) -> None:
        """Count one more step: *what* is there now."""
        self._count += 1
        await self._progress(self._count, self._total, what)
