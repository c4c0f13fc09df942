"""The progress of a call whose number of steps is known."""

from toolaccord import Progress


class Steps:
    """Counts steps, and reports each to *progress*."""

    def __init__(self, progress: Progress, total: int) -> None:
        self._progress = progress
        self._total = total
        self._count = 0

    async def done(self, what: str) -> None:
        """Report one more step, described by *what*."""
        self._count += 1
        await self._progress(self._count, self._total, what)
