"""The form of identifiers, and the message about an unknown one."""

from uuid import UUID

import pytest

from handlers.tradestream.identifiers import MAX_SHOWN_CHARS, not_found_message, parse_identifier

A_UUID = "0b7e6f2c-5d4a-4a34-9a53-0f6f6c1f6a01"


def test_an_identifier_is_a_uuid_in_its_usual_form() -> None:
    assert parse_identifier(A_UUID) == UUID(A_UUID) == parse_identifier(A_UUID.upper())


@pytest.mark.parametrize("text", ["", "abc123", " ", A_UUID.replace("-", ""), f"{A_UUID}\n", f"{A_UUID}0", "x" * 100])
def test_any_other_text_is_no_identifier(text: str) -> None:
    assert parse_identifier(text) is None


def test_the_message_is_that_of_the_specification() -> None:
    assert not_found_message("Strategy", "abc123") == "Strategy with ID 'abc123' not found."


def test_the_message_cuts_an_identifier_that_is_too_long_to_be_read() -> None:
    assert not_found_message("Spec", "x" * MAX_SHOWN_CHARS) == f"Spec with ID '{'x' * MAX_SHOWN_CHARS}' not found."
    assert not_found_message("Spec", "x" * 1000) == f"Spec with ID '{'x' * MAX_SHOWN_CHARS}…' not found."
