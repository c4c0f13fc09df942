"""Test that the comparison of patterns and the texts of a pattern take bounded effort."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from toolaccord_codegen.schema_sets import regex_automata, regex_samples, text_classes
from toolaccord_codegen.schema_sets.regex_automata import includes
from toolaccord_codegen.schema_sets.regex_parser import UnsupportedPattern
from toolaccord_codegen.schema_sets.regex_samples import sample_matches

LONGEST = 1000
"""Characters of a pattern."""
REPEATS = ["*", "+", "?", "{0,}", "{1,}", "{50}", "{0,400}", "{1000}", "{99999999999}"]


def long_patterns() -> st.SearchStrategy[str]:
    """Generate patterns with repetitions inside and beside each other, of many alternatives."""
    return st.recursive(
        st.sampled_from(["a", "b", ".", "[a-z]", r"\w", "^", "$", "-", ""]),
        lambda inner: (
            st.builds("({}){}".format, inner, st.sampled_from(REPEATS))
            | st.builds("({}|{}){}".format, inner, inner, st.sampled_from(REPEATS))
            | st.builds("{}{}".format, inner, inner)
            | st.builds(_repeated, inner, st.sampled_from([5, 40, 400]))
        ),
        max_leaves=12,
    ).map(lambda pattern: pattern if len(pattern) <= LONGEST else "a" * LONGEST)


def _repeated(pattern: str, times: int) -> str:
    """Return a pattern written several times, as often as it may be."""
    return pattern * min(times, LONGEST // max(1, len(pattern)))


def explosive(test: Callable[[str], None]) -> Callable[[str], None]:
    """Add the patterns of which one alternative, one quantifier or one group explodes."""
    for pattern in (
        "^((a*)*)*$",
        "^([a-z]+(-[a-z]+)*)(/[a-z]+(-[a-z]+)*)*$",
        "(a?){1000}{1000}",
        "a" * LONGEST,
        "(" * 400 + "a" + ")" * 400,
        "^" * LONGEST,
        "a" + "{1}" * 330,
        "x*" * 490,
        "a{99999999999}",
        "[ab]*a[ab]{900}",
    ):
        test = example(pattern)(test)
    return test


@explosive
@given(long_patterns())
@settings(deadline=None, max_examples=20)
def test_the_texts_of_any_pattern_together_take_a_bounded_number_of_steps(pattern: str) -> None:
    written: list[regex_samples._Sample] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(regex_samples, "_Sample", recording(regex_samples._Sample, written))
        texts = list(sample_matches(pattern))
    assert sum(each.steps for each in written) <= regex_samples.MAX_STEPS + 1
    assert sum(map(len, texts)) <= 2 * (regex_samples.MAX_STEPS + len(texts))


@explosive
@given(long_patterns())
@settings(deadline=None, max_examples=20)
def test_the_comparison_of_any_pattern_takes_a_bounded_number_of_steps(pattern: str) -> None:
    automata: list[regex_automata.Automaton] = []
    includes.cache_clear()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(regex_automata, "Automaton", recording(regex_automata.Automaton, automata))
        includes(pattern, f"{pattern}b?")
    assert all(each.steps <= regex_automata.MAX_STEPS + LONGEST for each in automata)


def recording(make: Callable[..., Any], made: list[Any]) -> Callable[..., Any]:
    """Return a function that keeps what it makes."""

    def record(*arguments: object) -> Any:
        made.append(make(*arguments))
        return made[-1]

    return record


@pytest.mark.parametrize("pattern", ["^((a*)*)*$", "^([a-z]+(-[a-z]+)*)(/[a-z]+(-[a-z]+)*)*$"])
def test_repetitions_inside_each_other_still_give_various_texts(pattern: str) -> None:
    texts = set(sample_matches(pattern))
    assert len(texts) > 20
    assert max(map(len, texts)) > 1000


def test_enumerated_texts_are_read_once_and_too_long_ones_not_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def record(automata: Sequence[regex_automata.Automaton], characters: str) -> list[int]:
        read.append(characters)
        return regex_automata.representatives(automata, characters)

    monkeypatch.setattr(text_classes, "representatives", record)
    text = "y" * (text_classes.MAX_SEARCH_STATES // 2)
    text_classes.text_classes([("pattern", "^y")], [text])
    with pytest.raises(UnsupportedPattern, match="too long together"):
        text_classes.text_classes([("pattern", "^y")], [text * 3])
    assert read == [text]
