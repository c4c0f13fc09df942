"""Everything that the text of a question says."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from handlers.agents.questions import vocabulary
from handlers.agents.questions.catalogue import Catalogue
from handlers.agents.questions.intents import OVER_TIME, Intent, read_intents, read_topics
from handlers.agents.questions.leftovers import Leftovers, find_leftovers
from handlers.agents.questions.notices import Topic
from handlers.agents.questions.period_reading import FoundPeriod, read_period
from handlers.agents.questions.reading import Reading
from handlers.agents.questions.securities import Named, read_securities


@dataclass(frozen=True, slots=True, kw_only=True)
class Understood:
    """Everything that was read of one text."""

    named: Named
    indices: tuple[str, ...]
    is_index_guessed: bool
    """True if the question speaks of an index without its name."""
    topics: tuple[Topic, ...]
    exclusion: str | None
    found: FoundPeriod
    intents: frozenset[Intent]
    leftovers: Leftovers

    @property
    def securities(self) -> tuple[str, ...]:
        """Tickers in the order of the question."""
        return self.named.tickers

    @property
    def has_period(self) -> bool:
        """True if the question names a period."""
        return self.found.period is not None or self.found.sessions is not None

    @property
    def wants_bars(self) -> bool:
        """True if securities over a period are requested."""
        if self.has_period:
            return not (self.indices and Intent.MEMBERS in self.intents)
        if self.indices:
            return Intent.HOURLY in self.intents
        if Intent.NOW in self.intents:
            return Intent.HOURLY in self.intents
        wishes = self.intents & {Intent.PRICE, Intent.PRICE_NOW, Intent.VOLUME}
        return bool(self.intents & (OVER_TIME | {Intent.DIRECTION})) or not wishes

    @property
    def wants_prices(self) -> bool:
        """True if the current prices of securities are requested."""
        intents = self.intents
        if intents & {Intent.PRICE_NOW, Intent.OVERVIEW}:
            return True
        if self.indices:
            return Intent.PRICE in intents
        if Intent.NOW in intents and Intent.HOURLY not in intents:
            return True
        if self.has_period or intents & (OVER_TIME | {Intent.DIRECTION}):
            return False
        return bool(intents & {Intent.PRICE, Intent.VOLUME}) or len(self.securities) == 1


def read_text(text: str, today: date, catalogue: Catalogue) -> Understood:
    """Return everything that *text* says; each step reads what the steps before it left."""
    reading = Reading(" ".join(text.split()))
    reading.take_all(vocabulary.POLITENESS)
    indices = _read_indices(reading)
    reading.take_all(vocabulary.VENUE)
    named = read_securities(reading, catalogue)
    topics = read_topics(reading)
    is_guessed = not indices and _speaks_of_index(reading, has_securities=bool(named.tickers))
    has_members = bool(indices or is_guessed) and reading.take_all(vocabulary.MEMBERS)
    if is_guessed:
        reading.take_all(vocabulary.INDEX_ANY)
    found = read_period(reading, today)
    intents = read_intents(reading) | ({Intent.MEMBERS} if has_members else set())
    exclusion = reading.take_first(vocabulary.EXCLUSION)
    return Understood(
        named=named,
        indices=indices or (("IMOEX",) if is_guessed else ()),
        is_index_guessed=is_guessed,
        topics=topics,
        exclusion=reading.text[slice(*exclusion.span())] if exclusion else None,
        found=found,
        intents=intents,
        leftovers=find_leftovers(reading, catalogue, named),
    )


def _read_indices(reading: Reading) -> tuple[str, ...]:
    """Return the indices that *reading* names; their names then are understood."""
    patterns = vocabulary.INDEX_NAMES
    places = {name: match.start() for name, pattern in patterns.items() if (match := pattern.search(reading.rest))}
    for pattern in patterns.values():
        reading.take_all(pattern)
    return tuple(sorted(places, key=lambda name: places[name]))


def _speaks_of_index(reading: Reading, *, has_securities: bool) -> bool:
    match = vocabulary.INDEX_ANY.search(reading.rest)
    return match is not None and (not has_securities or match.group().startswith(("индекс", "index")))
