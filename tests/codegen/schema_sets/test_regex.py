"""Test the comparison of regular expressions and the texts generated from them."""

import re
from itertools import product

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from toolaccord_codegen.schema_sets.regex_automata import Automaton, includes, shortest_matches
from toolaccord_codegen.schema_sets.regex_parser import UnsupportedPattern
from toolaccord_codegen.schema_sets.regex_samples import sample_matches
from toolaccord_codegen.schema_sets.validators import admits

PATTERNS = [
    "^[A-Z0-9]{1,20}/[A-Z0-9]{1,20}$", "^a+b*c?$", "^(buy|sell|hold)$", r"^\d{4}-\d{2}-\d{2}$", r"^\w+@\w+\.(com|org)$", "^[^a-z]{3}$", "^(?:ab){2,}$",
    "^(?<year>[0-9]{4})$", r"^[\w.-]+$", r"^\$[0-9]+(\.[0-9]{2})?$", "^.{5}$", r"^\S+$", "a", "^[a-f0-9]{12}$", r"^[\]a-]+$", r"^a\/[bc]$",
]  # fmt: skip
UNSUPPORTED = [
    r"^(?=a)b$",
    r"^(a)\1$",
    r"^\p{Lu}$",
    "^(?!x)y$",
    "^(?<=a)b$",
    r"^\bx",
    "(",
    "[",
    "a\\",
    "*",
    "^(?i)a$",
    "$^",
    "(^a$){2}",
]
TEXTS = ["".join(letters) for length in range(5) for letters in product("ab", repeat=length)]


def expressions() -> st.SearchStrategy[str]:
    """Generate small expressions over two letters."""
    return st.recursive(
        st.sampled_from(["a", "b", ".", "[ab]", "[^a]", "^", "$", ""]),
        lambda inner: (
            st.builds("{}{}".format, inner, inner)
            | st.builds("(?:{}|{})".format, inner, inner)
            | st.builds("(?:{}){}".format, inner, st.sampled_from(["*", "+", "?", "{2}", "{1,2}", "{2,}", "*?"]))
        ),
        max_leaves=6,
    )


def supported_automaton(pattern: str) -> Automaton:
    """Return the automaton of an expression, or reject an unsupported example."""
    try:
        return Automaton(pattern)
    except UnsupportedPattern:
        reject()


def matches(pattern: str, text: str) -> bool:
    """Return True if the servers' validator finds the pattern in the text."""
    return admits({"pattern": pattern}, text)


def python_finds(pattern: str, text: str) -> bool:
    """Return True if Python finds the pattern.

    In JSON Schema, unlike in Python, `$` does not match before a last line break.
    """
    return bool(re.search(pattern.replace("$", r"\Z"), text))


@pytest.mark.parametrize("pattern", PATTERNS)
def test_generated_texts_match_their_pattern(pattern: str) -> None:
    matched = [text for text in sample_matches(pattern) if matches(pattern, text)]
    assert len(matched) >= 50
    assert len(set(matched)) >= 2


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_pattern_always_gives_the_same_texts(pattern: str) -> None:
    assert list(sample_matches(pattern)) == list(sample_matches(pattern))


@pytest.mark.parametrize("pattern", UNSUPPORTED)
def test_an_unsupported_pattern_gives_no_text_and_proves_nothing(pattern: str) -> None:
    assert list(sample_matches(pattern)) == []
    assert not includes(pattern, pattern)


def test_an_end_anchor_does_not_match_before_a_last_line_break() -> None:
    assert "a\n" in list(shortest_matches(["a"], ".$"))
    assert not matches(".$", "a\n")


@given(expressions())
@settings(deadline=None)
def test_an_automaton_accepts_the_texts_that_python_matches(pattern: str) -> None:
    automaton = supported_automaton(pattern)
    for text in TEXTS:
        states = automaton.initial_states()
        for letter in text:
            states = automaton.step(states, ord(letter))
        assert automaton.accepts(states) is python_finds(pattern, text), text


@given(expressions(), expressions())
@settings(deadline=None)
def test_one_expression_includes_another_unless_a_text_disproves_it(outer: str, inner: str) -> None:
    for pattern in (outer, inner):
        supported_automaton(pattern)
    counterexample = next(shortest_matches([inner], outer), None)
    if counterexample is None:
        assert [text for text in TEXTS if python_finds(inner, text) and not python_finds(outer, text)] == []
    else:
        assert (python_finds(inner, counterexample), python_finds(outer, counterexample)) == (True, False)


@pytest.mark.parametrize("one", PATTERNS)
def test_the_validator_of_servers_confirms_distinguishing_texts(one: str) -> None:
    for other in PATTERNS:
        found = list(shortest_matches([one], other))
        assert found or all(matches(other, text) for text in sample_matches(one))
        assert all(matches(one, text) and not matches(other, text) for text in found)


def test_a_text_of_a_given_length_is_found() -> None:
    assert next(shortest_matches(["^[a-z]+$"], None, 40, 40)) == "a" * 40
    assert list(shortest_matches(["^[a-z]{1,3}$"], None, 4, 9)) == []


def test_a_comparison_that_would_take_too_long_proves_nothing() -> None:
    with pytest.raises(UnsupportedPattern):
        next(shortest_matches(["a.{2000}"], "a.{1999}b"))
