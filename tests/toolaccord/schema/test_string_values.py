"""Texts become values of the types that a schema names, and nothing else."""

from typing import Any

import pytest

from toolaccord.schema.string_values import parse_strings


@pytest.mark.parametrize(
    "kind, text, value",
    [
        ("integer", "7", 7),
        ("integer", "-12", -12),
        ("integer", "07", "07"),
        ("integer", "+7", "+7"),
        ("integer", "7.0", "7.0"),
        ("integer", "\u0667", "\u0667"),
        ("integer", "1_000", "1_000"),
        ("integer", "9" * 19, "9" * 19),
        ("number", "1.5", 1.5),
        ("number", "2", 2),
        ("number", "nan", "nan"),
        ("number", "1e400", "1e400"),
        ("boolean", "true", True),
        ("boolean", "True", "True"),
        ("string", "7", "7"),
        (None, "7", "7"),
    ],
)
def test_a_text_is_parsed_only_if_it_is_one_value_everywhere(kind: str | None, text: str, value: Any) -> None:
    schema = {"properties": {"x": {} if kind is None else {"type": kind}}}
    parsed = parse_strings(schema, {"x": text})["x"]
    assert (parsed, type(parsed)) == (value, type(value))
