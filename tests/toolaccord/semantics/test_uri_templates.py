"""URI templates are expanded by level 1 of RFC 6570, and recognised when they overlap."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp.shared.uri_template import UriTemplate

from toolaccord.schema.string_values import parse_strings
from toolaccord.semantics.uri_templates import admits_uri, are_adjacent, expand, list_variables

TEMPLATE = "shop://shelves/{shelf}/{number}"
PRICE = {"type": "object", "properties": {"price": {"type": "number"}}}
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)


@given(TEXTS, st.integers())
def test_the_sdk_expands_a_template_alike_and_finds_its_values_again(shelf: str, number: int) -> None:
    parsed = UriTemplate.parse(TEMPLATE)
    uri = expand(TEMPLATE, {"shelf": shelf, "number": number})
    assert uri == parsed.expand({"shelf": shelf, "number": str(number)})
    assert parsed.match(uri) == {"shelf": shelf, "number": str(number)}


def test_a_boolean_is_expanded_as_in_json() -> None:
    assert expand("shop://{is_open}", {"is_open": True}) == "shop://true"


@pytest.mark.parametrize("number, text", [(0.1, "0.1"), (1e-7, "0.0000001"), (1e16, "10000000000000000"), (3.0, "3.0")])
def test_a_number_is_expanded_without_an_exponent(number: float, text: str) -> None:
    assert expand("shop://{price}", {"price": number}) == f"shop://{text}"
    assert parse_strings(PRICE, {"price": text}) == {"price": number}


def test_the_variables_of_a_template_are_listed_in_order() -> None:
    assert list_variables(TEMPLATE) == ["shelf", "number"]
    assert [are_adjacent(TEMPLATE), are_adjacent("shop://{shelf}{number}")] == [False, True]


@pytest.mark.parametrize(
    "uri, is_admitted",
    [
        ("shop://shelves/a/1", True),
        ("shop://shelves/a%2Fb/1", True),
        ("shop://shelves/{x}/{y}", True),
        ("shop://shelves/{x}/y{z}", True),
        ("shop://shelves/a", False),
        ("shop://shelves/a/1/2", False),
        ("shop://shelves/a/1?b", False),
        ("shopx//shelves/a/1", False),
    ],
)
def test_a_template_admits_the_uris_that_it_can_become(uri: str, *, is_admitted: bool) -> None:
    assert admits_uri(TEMPLATE, uri) is is_admitted
