"""Chance without a generator's state: the same words always give the same draw, whatever else is drawn."""

from functools import lru_cache
from hashlib import blake2b
from statistics import NormalDist
from uuid import UUID

Word = str | int
STANDARD = NormalDist()


def fraction(*words: Word) -> float:
    """A draw that is evenly spread between 0 and 1, and neither of them."""
    return (int.from_bytes(_digest(words, 7)) + 0.5) / 2**56


def normals(count: int, *words: Word) -> list[float]:
    """Up to eight draws with mean 0 and standard deviation 1, for less than as many calls of `normal`."""
    digest = _digest(words, 8 * count)
    numbers = (int.from_bytes(digest[start : start + 7]) for start in range(0, 8 * count, 8))
    return [STANDARD.inv_cdf((number + 0.5) / 2**56) for number in numbers]


def normal(*words: Word) -> float:
    """A draw with mean 0 and standard deviation 1."""
    return STANDARD.inv_cdf(fraction(*words))


@lru_cache(maxsize=100_000)
def cached_normal(*words: Word) -> float:
    """The same as `normal`, for draws that are asked for many times."""
    return normal(*words)


def identifier(*words: Word) -> UUID:
    """A UUID that stands for these words."""
    return UUID(bytes=_digest(words, 16), version=5)


def _digest(words: tuple[Word, ...], size: int) -> bytes:
    return blake2b("\0".join(map(str, words)).encode(), digest_size=size).digest()
