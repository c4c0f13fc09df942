"""Texts that match a regular expression, which witnesses are made of."""

import re

import pytest

from codegen.breaking.expressions import matching

PATTERNS = [
    "^[A-Z0-9]{1,20}/[A-Z0-9]{1,20}$", "^a+b*c?$", "^(buy|sell|hold)$", r"^\d{4}-\d{2}-\d{2}$", r"^\w+@\w+\.(com|org)$", "^[^a-z]{3}$", "^(?:ab){2,}$",
    "^(?<year>[0-9]{4})$", r"^[\w.-]+$", r"^\$[0-9]+(\.[0-9]{2})?$", "^.{5}$", r"^\S+$", "a", "^[a-f0-9]{12}$", r"^[\]a-]+$", r"^a\/[bc]$",
]  # fmt: skip


@pytest.mark.parametrize("pattern", PATTERNS)
def test_texts_match_the_pattern_they_are_made_of(pattern: str) -> None:
    texts = list(matching(pattern))
    matched = [text for text in texts if re.search(pattern.replace("(?<", "(?P<"), text)]
    assert len(matched) >= 50
    assert len(set(matched)) >= 2


@pytest.mark.parametrize("pattern", PATTERNS)
def test_the_texts_are_the_same_every_time(pattern: str) -> None:
    assert list(matching(pattern)) == list(matching(pattern))


@pytest.mark.parametrize(
    "pattern", [r"^(?=a)b$", r"^(a)\1$", r"^\p{Lu}$", "^(?!x)y$", "^(?<=a)b$", "(", "[", "a\\", "^[^ -~]$"]
)
def test_a_pattern_beyond_the_module_gives_no_text(pattern: str) -> None:
    assert list(matching(pattern)) == []
