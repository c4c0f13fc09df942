"""Test the comparison of expressions by the numbers of their characters."""

from itertools import product

import pytest

from toolaccord_codegen.schema_sets.regex_automata import includes
from toolaccord_codegen.schema_sets.regex_runs import find_runs

QUANTIFIERS: dict[str, tuple[int, int | None]] = {
    "": (1, 1), "*": (0, None), "+": (1, None), "?": (0, 1), "{0}": (0, 0), "{2}": (2, 2), "{1,3}": (1, 3), "{2,}": (2, None),
    "{0,2}": (0, 2), "{3,4}": (3, 4), "{5}": (5, 5),
}  # fmt: skip
LONGEST = 40


def repeat(lengths: set[int], least: int, most: int | None) -> set[int]:
    """Return the lengths up to LONGEST of a text that is repeated."""
    found, now = set[int](), {0}
    for count in range(LONGEST + 2 if most is None else most + 1):
        found |= now if count >= least else set()
        now = {one + other for one in now for other in lengths if one + other <= LONGEST}
    return found


def test_the_runs_of_repeated_repeats_have_exactly_their_lengths() -> None:
    read = 0
    for inner, middle, outer in product(QUANTIFIERS, repeat=3):
        runs = find_runs(f"((a{inner}){middle}){outer}")
        if runs is None:
            continue
        read += 1
        lengths = {1}
        for quantifier in (inner, middle, outer):
            lengths = repeat(lengths, *QUANTIFIERS[quantifier])
        found = {
            length
            for length in range(LONGEST + 1)
            if any(low <= length and (high is None or length <= high) for _, each in runs for low, high in each)
        }
        assert found == lengths, (inner, middle, outer)
    assert read > 1000


@pytest.mark.parametrize(
    "outer, inner, expected",
    [
        ("^a{10000}$", "^(a{100}){100}$", True),
        ("^(a{100}){100}$", "^a{10000}$", True),
        ("^(a{100}){99,100}$", "^(a{100}){100}$", True),
        ("^(a{100}){100}$", "^(a{100}){101}$", False),
        ("^[a-z0-9]{1000}$", "^[a-z]{1000}$", True),
        ("^[a-z]{1000}$", "^[a-z0-9]{1000}$", False),
    ],
)
def test_counted_repeats_of_thousands_are_compared(outer: str, inner: str, *, expected: bool) -> None:
    assert includes(outer, inner) is expected
