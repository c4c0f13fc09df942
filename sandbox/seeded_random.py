"""Random draws by hash: a key always gives the same draw, whatever else is drawn."""

from functools import lru_cache
from hashlib import blake2b
from statistics import NormalDist
from uuid import UUID

SEED = 1
"""Seed of the sample data."""
KeyPart = str | int
STANDARD = NormalDist()


def uniform(*key: KeyPart) -> float:
    """Draw from the uniform distribution over the open interval from 0 to 1."""
    return (int.from_bytes(_digest(key, 7)) + 0.5) / 2**56


def normals(count: int, *key: KeyPart) -> list[float]:
    """Draw up to eight standard normal numbers, cheaper than by as many calls of `normal`."""
    digest = _digest(key, 8 * count)
    numbers = (int.from_bytes(digest[start : start + 7]) for start in range(0, 8 * count, 8))
    return [STANDARD.inv_cdf((number + 0.5) / 2**56) for number in numbers]


def normal(*key: KeyPart) -> float:
    """Draw from the normal distribution with mean 0 and standard deviation 1."""
    return STANDARD.inv_cdf(uniform(*key))


@lru_cache(maxsize=100_000)
def cached_normal(*key: KeyPart) -> float:
    """Draw like `normal`, and cache the draw."""
    return normal(*key)


def identifier(*key: KeyPart) -> UUID:
    """Return the UUID of a key."""
    return UUID(bytes=_digest(key, 16), version=5)


def _digest(key: tuple[KeyPart, ...], size: int) -> bytes:
    return blake2b("\0".join(map(str, key)).encode(), digest_size=size).digest()
