from typing import Any

import pytest

from toolaccord.semantics.versions import find_answering, parse_version


@pytest.mark.parametrize(
    "named,offered,answering",
    [
        ("1.2.0", ["1.2.0"], "1.2.0"),
        ("1.0.0", ["1.2.0"], "1.2.0"),
        ("1.0.0", ["2.0.0", "1.2.0", "1.1.0"], "1.1.0"),
        ("1.0.3", ["1.0.5"], "1.0.5"),
        ("1.0.5", ["1.0.3"], "1.0.3"),
        ("1.0.5", ["2.0.0", "1.1.0", "1.0.3"], "1.1.0"),
        ("0.3.1", ["0.3.4"], "0.3.4"),
    ],
)
def test_a_later_version_of_the_same_range_answers_or_another_patch(
    named: str, offered: list[str], answering: str
) -> None:
    assert find_answering(named, offered) == answering


@pytest.mark.parametrize(
    "named,offered",
    [
        ("1.3.0", ["1.2.0"]),
        ("1.0.0", ["2.0.0"]),
        ("2.0.0", ["1.0.0"]),
        ("0.3.1", ["0.4.0"]),
        ("0.3.4", ["0.3.1"]),
        ("0.9.0", ["1.0.0"]),
    ],
)
def test_a_version_of_another_range_or_an_earlier_minor_version_does_not_answer(named: str, offered: list[str]) -> None:
    assert find_answering(named, offered) is None


@pytest.mark.parametrize(
    "text",
    [
        "1.0",
        "1",
        "",
        "v1.0.0",
        "1.0.0 ",
        "01.0.0",
        "1.0.0-rc1",
        "1.0.٣",
        "^1.0.0",
        "9" * 5000 + ".0.0",
        1,
        None,
        ["1.0.0"],
    ],
)
def test_only_three_plain_numbers_are_a_version(text: Any) -> None:
    assert parse_version(text) is None
    assert find_answering(text, ["1.0.0"]) is None
