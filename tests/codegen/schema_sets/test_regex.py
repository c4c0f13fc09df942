"""Regular expressions compared, and the texts that witnesses are made of."""

import re
from itertools import product

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from codegen.schema_sets.containment import admits
from codegen.schema_sets.regex_automata import Machine, includes, machine, shortest
from codegen.schema_sets.regex_parser import NotUnderstood
from codegen.schema_sets.regex_samples import matching

PATTERNS = [
    "^[A-Z0-9]{1,20}/[A-Z0-9]{1,20}$", "^a+b*c?$", "^(buy|sell|hold)$", r"^\d{4}-\d{2}-\d{2}$", r"^\w+@\w+\.(com|org)$", "^[^a-z]{3}$", "^(?:ab){2,}$",
    "^(?<year>[0-9]{4})$", r"^[\w.-]+$", r"^\$[0-9]+(\.[0-9]{2})?$", "^.{5}$", r"^\S+$", "a", "^[a-f0-9]{12}$", r"^[\]a-]+$", r"^a\/[bc]$",
]  # fmt: skip
BEYOND = [
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
    """Small expressions over two letters."""
    return st.recursive(
        st.sampled_from(["a", "b", ".", "[ab]", "[^a]", "^", "$", ""]),
        lambda inner: (
            st.builds("{}{}".format, inner, inner)
            | st.builds("(?:{}|{})".format, inner, inner)
            | st.builds("(?:{}){}".format, inner, st.sampled_from(["*", "+", "?", "{2}", "{1,2}", "{2,}", "*?"]))
        ),
        max_leaves=6,
    )


def understood(pattern: str) -> Machine:
    """The machine of an expression; the few that ask for an end before a start are beyond it."""
    try:
        return machine(pattern)
    except NotUnderstood:
        reject()


def matches(pattern: str, text: str) -> bool:
    """What the validator of servers says."""
    return admits({"pattern": pattern}, text)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_texts_match_the_pattern_they_are_made_of(pattern: str) -> None:
    matched = [text for text in matching(pattern) if matches(pattern, text)]
    assert len(matched) >= 50
    assert len(set(matched)) >= 2


@pytest.mark.parametrize("pattern", PATTERNS)
def test_the_texts_are_the_same_every_time(pattern: str) -> None:
    assert list(matching(pattern)) == list(matching(pattern))


@pytest.mark.parametrize("pattern", BEYOND)
def test_a_pattern_beyond_the_module_gives_no_text_and_proves_nothing(pattern: str) -> None:
    assert list(matching(pattern)) == []
    assert not includes(pattern, pattern)


@given(expressions())
@settings(deadline=None)
def test_a_machine_accepts_what_python_finds(pattern: str) -> None:
    read = understood(pattern)
    for text in TEXTS:
        states = read.begun()
        for letter in text:
            states = read.read(states, ord(letter))
        assert read.accepts(states) is bool(re.search(pattern, text)), text


@given(expressions(), expressions())
@settings(deadline=None)
def test_one_expression_includes_another_where_no_text_says_otherwise(outer: str, inner: str) -> None:
    for pattern in (outer, inner):
        understood(pattern)
    apart = next(shortest([inner], outer), None)
    if apart is None:
        assert [text for text in TEXTS if re.search(inner, text) and not re.search(outer, text)] == []
    else:
        assert (bool(re.search(inner, apart)), bool(re.search(outer, apart))) == (True, False)


@pytest.mark.parametrize("one", PATTERNS)
def test_the_validator_of_servers_confirms_the_texts_that_tell_two_patterns_apart(one: str) -> None:
    for other in PATTERNS:
        found = list(shortest([one], other))
        assert found or all(matches(other, text) for text in matching(one))
        assert all(matches(one, text) and not matches(other, text) for text in found)


def test_a_text_of_a_certain_length_is_found() -> None:
    assert next(shortest(["^[a-z]+$"], None, 40, 40)) == "a" * 40
    assert list(shortest(["^[a-z]{1,3}$"], None, 4, 9)) == []


def test_a_comparison_that_would_take_too_long_proves_nothing() -> None:
    with pytest.raises(NotUnderstood):
        next(shortest(["a.{2000}"], "a.{1999}b"))
