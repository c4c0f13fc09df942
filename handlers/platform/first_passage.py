"""The time at which a price without drift first reaches a distance.

Distances are logarithmic, deviations those of the logarithmic return over the whole horizon; times are fractions of it.
"""

import math
from statistics import NormalDist

FARTHEST = 30.0
"""Deviations beyond which the probability is zero, and the time the horizon within 0.3 %."""
NORMAL = NormalDist()


def hitting_probability(distance: float, deviation: float) -> float:
    """Return the probability of reaching *distance* within the horizon, 2 Φ(-d / (sigma √T)).

    It is the reflection principle of Brownian motion (Bachelier 1901; Karatzas and Shreve 1991, section 2.6).
    """
    if distance <= 0:
        return 1.0
    return math.erfc(distance / deviation / math.sqrt(2)) if deviation else 0.0


def mean_hitting_time(distance: float, deviation: float) -> float:
    """Return the mean time of reaching *distance*, of paths that do so within the horizon.

    It is z φ(z) / Φ(-z) - z² with z = d / (sigma √T): the mean of the first-passage density (Karatzas and Shreve 1991)
    below the horizon, over the probability of the same.
    """
    if distance <= 0:
        return 0.0
    if distance >= FARTHEST * deviation:
        return 1.0
    z = distance / deviation
    return z * NORMAL.pdf(z) / (math.erfc(z / math.sqrt(2)) / 2) - z * z
