"""Templates of SQL find parameters as PostgreSQL reads the text, and list their statements."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import psycopg
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from toolaccord.semantics.sql_templates import (
    Statement,
    Template,
    Variant,
    cut_statement,
    parse_template,
)

TRICKY = st.text(st.sampled_from("'\"$\\:?-/*()\n\t;=aeEz1 é"), max_size=12)
"""Characters with which strings, names, comments and parameters begin and end."""
NAMES = st.sampled_from(["a", "b", "limit_", "é", "e", "n1"])


class Piece(NamedTuple):
    """A column of a SELECT, and the text that PostgreSQL gives for it; None for a parameter."""

    sql: str
    value: str | None
    parameter: str = ""


def quote(text: str) -> Piece:
    return Piece("'" + text.replace("'", "''") + "'", text)


def quote_with_escapes(texts: list[str]) -> Piece:
    """Write a string whose parts are on several lines, which PostgreSQL reads as one."""
    parts = ["'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'" for text in texts]
    return Piece("E" + " -- part\n ".join(parts), "".join(texts))


def quote_in_dollars(tag: str, text: str) -> Piece:
    text = text.replace("$", "")
    return Piece(f"${tag}${text}${tag}$", text)


def name_quoted(text: str) -> Piece:
    return Piece("'x' AS \"" + (text.replace('"', '""') or "n") + '"', "x")


def comment(text: str) -> Piece:
    """Put a text into a comment with another one in it, and into one that ends with its line."""
    inner = text.replace("*", "").replace("/", "")
    return Piece(f"/* {inner} /* {inner} */ :a */ 'x' -- :b {inner.replace(chr(10), '')}\n", "x")


def parameter(name: str) -> Piece:
    return Piece(f"(:{name})::text", None, name)


PIECES = st.one_of(
    TRICKY.map(quote),
    st.lists(TRICKY, min_size=1, max_size=3).map(quote_with_escapes),
    st.builds(quote_in_dollars, st.sampled_from(["", "t", "é1"]), TRICKY),
    TRICKY.map(name_quoted),
    TRICKY.map(comment),
    st.just(Piece("1::int::text", "1")),
    st.just(Piece("(ARRAY['x', 'y'])[1 : 1] ::text", "{x}")),
    st.just(Piece("'x' AS a$b$c", "x")),
    NAMES.map(parameter),
)


@pytest.fixture(scope="module")
def connection(postgresql_server_url: str) -> Iterator[psycopg.Connection]:
    with psycopg.connect(postgresql_server_url, autocommit=True) as opened:
        yield opened


def run(connection: psycopg.Connection, statement: Statement) -> list[str]:
    """Return the columns of a statement whose parameters have their names as values."""
    values = [name.encode() for name in statement.parameters]
    result = connection.pgconn.exec_params(statement.sql.encode(), values)
    assert not result.error_message, (result.error_message, statement.sql)
    return [(result.get_value(0, column) or b"").decode() for column in range(result.nfields)]


# --- what holds a parameter -----------------------------------------------------------------------------------


@given(st.lists(PIECES, min_size=1, max_size=8))
@example([quote_with_escapes(["\\", "'", ":a"]), parameter("b")])
def test_postgresql_reads_strings_names_comments_and_parameters_alike(
    connection: psycopg.Connection, pieces: list[Piece]
) -> None:
    text = "SELECT " + ",\n".join(piece.sql for piece in pieces)
    template = parse_template(text)
    assert [each.name for each in template.parameters] == [piece.parameter for piece in pieces if piece.parameter]
    assert all(text[each.start : each.end] == f":{each.name}" for each in template.parameters)
    expected = [piece.parameter if piece.value is None else piece.value for piece in pieces]
    assert run(connection, template.build()) == expected


@given(st.lists(PIECES.filter(lambda piece: not piece.parameter), min_size=1, max_size=8))
def test_a_text_without_parameters_stays_as_it_is(pieces: list[Piece]) -> None:
    text = "SELECT " + ",\n".join(piece.sql for piece in pieces)
    assert parse_template(text).build() == Statement(text.rstrip(), (), parse_template(text).build().places)


@given(TRICKY)
def test_any_text_is_read_to_its_end(text: str) -> None:
    template = parse_template(text)
    for each in template.parameters:
        assert text[each.start : each.end].rstrip("?") == f":{each.name}"
    assert "\n".join(line.text for line in template.lines) == text


@pytest.mark.parametrize(
    "text, names",
    [
        ("x::text", []),
        ("x :: text", []),
        ("a[1:2]", []),
        ("a[i : j]", []),
        ("a[:i : :j]", ["i", "j"]),
        ("x=:a", ["a"]),
        (":a::text", ["a"]),
        (":a:b", ["a", "b"]),
        ("'open :a", ["a"]),
        ("$t$ :a $u$ :b $t$ :c", ["c"]),
        ("$t :a", ["a"]),
        ("n$t$ :a n$t$", ["a"]),
        ("/* :a /* :b */ :c */ :d", ["d"]),
        ("/* :a /* :b */ :c", []),
        ("-- :a\n:b", ["b"]),
        ("-- :a\r:b", ["b"]),
        ("data ? :key AND data ?| :keys", ["key", "keys"]),
        ("note':a' :b", ["b"]),
        ("U&':a' :b", ["b"]),
    ],
)
def test_a_parameter_is_a_colon_and_a_name_outside_of_strings_and_casts(text: str, names: list[str]) -> None:
    assert [each.name for each in parse_template(text).parameters] == names


def test_a_parameter_by_number_is_found_outside_of_strings() -> None:
    template = parse_template("SELECT $1, '$2', $$ $3 $$, a$4, \"$5\" -- $6\n, $7 /* $8 */")
    assert template.numbers == (7, 45)


# --- the statements of a template -------------------------------------------------------------------------------

CLAUSES = st.one_of(
    st.builds(lambda name: f"AND x = :{name}", NAMES),
    st.builds(lambda name: f"AND x = :{name}_?", NAMES),
    st.builds(lambda name, other: f"AND x = :{name}_? || :{other}", NAMES, NAMES),
    st.builds(lambda name, choice: f"AND x > :{name} -- when :way = {choice}", NAMES, st.sampled_from(["up", "down"])),
    st.just("AND x = ':no' -- :no"),
    st.just(""),
)
TEMPLATES = st.lists(CLAUSES, max_size=6).map(
    lambda lines: "\n".join(["SELECT x FROM t WHERE true", *lines, "ORDER BY x"])
)
BUILDS = (Template.build, Template.build_page)


def list_numbers(sql: str) -> list[int]:
    """Return the numbers of parameters in the order of their first places."""
    return list(dict.fromkeys(int(number) for number in re.findall(r"\$(\d+)", sql)))


@given(TEMPLATES)
def test_the_parameters_of_every_statement_are_numbered_from_one_without_gaps(text: str) -> None:
    template = parse_template(text)
    for build, variant in product(BUILDS, template.list_variants()):
        statement = build(template, variant)
        assert list_numbers(statement.sql) == list(range(1, len(statement.parameters) + 1))
        assert len({*statement.parameters}) == len(statement.parameters)


@given(TEMPLATES)
def test_every_character_of_a_statement_is_located_in_its_template(text: str) -> None:
    template = parse_template(text)
    for variant in template.list_variants():
        statement = template.build(variant)
        parameters = {at for match in re.finditer(r"\$\d+", statement.sql) for at in range(*match.span())}
        for at, character in enumerate(statement.sql):
            place = statement.locate(at)
            if at not in parameters:
                assert text[place] == character
            elif at - 1 not in parameters:
                assert text[place] == ":"


@given(TEMPLATES)
def test_a_template_stands_for_as_many_different_choices_as_it_counts(text: str) -> None:
    template = parse_template(text)
    variants = [*template.list_variants()]
    assert len({*variants}) == len(variants) == template.count_variants()
    assert variants[0].given == frozenset(template.optional)


def test_an_optional_line_needs_all_its_optional_parameters() -> None:
    template = parse_template("SELECT 1\nWHERE true\n  AND a = :a?\n  AND b BETWEEN :a? AND :b?\n  AND c = :c")
    built = {tuple(sorted(each.given)): template.build(each) for each in template.list_variants()}
    assert {given: len(statement.sql.splitlines()) for given, statement in built.items()} == {
        ("a", "b"): 5,
        ("a",): 4,
        ("b",): 3,
        (): 3,
    }
    assert built["a", "b"].parameters == ("a", "b", "c")
    assert built["b",].sql == "SELECT 1\nWHERE true\n  AND c = $1"


def test_a_line_with_a_choice_stays_for_that_choice_alone() -> None:
    template = parse_template("SELECT 1\nORDER BY a -- when :sort = new\nORDER BY b -- when :sort = urgent")
    assert template.choices == {"sort": ("new", "urgent")}
    assert [template.build(each).sql.splitlines()[1:] for each in template.list_variants()] == [
        ["ORDER BY a -- when :sort = new"],
        ["ORDER BY b -- when :sort = urgent"],
    ]


@pytest.mark.parametrize(
    "text, unread",
    [
        ("x -- when :a = b", ()),
        ("x -- when :a = b;", (2,)),
        ("x -- when :a: b", (2,)),
        ("x -- when :a = b or c", (2,)),
        ("x -- when it rains", ()),
        ("'-- when :a'", ()),
    ],
)
def test_a_comment_that_begins_like_a_choice_and_is_none_is_found(text: str, unread: tuple[int, ...]) -> None:
    assert parse_template(text).unread == unread


@pytest.mark.parametrize(
    "text, cut",
    [
        ("SELECT 1; -- done\n", "SELECT 1"),
        ("SELECT 1 -- when :a = b\n;", "SELECT 1 -- when :a = b"),
        ("SELECT 1 -- when :a = b;\n", "SELECT 1 -- when :a = b"),
        ("SELECT ';' /* ; */ ;", "SELECT ';'"),
        ("SELECT 1 /* /* ; */ ; */; /* a */ -- b", "SELECT 1"),
        ("SELECT '-- ;'", "SELECT '-- ;'"),
    ],
)
def test_a_statement_is_cut_before_its_semicolon_and_keeps_its_choices(text: str, cut: str) -> None:
    assert cut_statement(text) == cut


@pytest.mark.parametrize(
    "text", ["'-- when :a = b'", "/* -- when :a = b */", "-- when :a = b, c", "-- whenever :a = b"]
)
def test_what_only_looks_like_a_choice_is_none(text: str) -> None:
    assert parse_template(text).choices == {}


# --- pages ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text, kept",
    [
        ("SELECT x\nFROM t\nORDER BY x", 2),
        ("SELECT x\nFROM t\n  order   by x", 2),
        ("SELECT (SELECT y\nORDER BY y\nLIMIT 1)\nFROM t\nORDER BY x", 4),
        ("SELECT '\nORDER BY y\n'\nFROM t\nORDER BY x", 4),
        ("SELECT 1 /*\nORDER BY y\n*/\nFROM t\nORDER BY x", 4),
        ("SELECT x FROM t ORDER BY x", 1),
        ("SELECT x\nFROM t", 2),
    ],
)
def test_the_count_of_a_page_leaves_out_the_lines_from_order_by_on(text: str, kept: int) -> None:
    counted = parse_template(text).build_page().sql.partition(") AS counted")[0]
    assert counted == "SELECT (SELECT count(*) FROM (" + "\n".join(text.splitlines()[:kept]) + "\n"


@given(
    st.lists(st.integers(0, 9), max_size=12),
    st.integers(1, 5),
    st.integers(0, 15),
    st.one_of(st.none(), st.integers(0, 9)),
)
def test_a_page_has_the_rows_of_limit_and_offset_and_the_number_of_all(
    connection: psycopg.Connection, items: list[int], limit: int, offset: int, least: int | None
) -> None:
    template = parse_template(
        "SELECT item FROM unnest(:items::int[]) AS item\nWHERE item >= :least?::int\nORDER BY item -- :no"
    )
    variant = Variant(frozenset({"least"} if least is not None else ()))
    statement = template.build_page(variant)
    values = {"items": "{" + ",".join(map(str, items)) + "}", "least": least, "limit": limit, "offset": offset}
    result = connection.pgconn.exec_params(
        statement.sql.encode(), [str(values[name]).encode() for name in statement.parameters]
    )
    rows = [tuple(result.get_value(row, column) for column in range(3)) for row in range(result.ntuples)]
    found = sorted(item for item in items if least is None or item >= least)
    page = found[offset : offset + limit]
    assert [int(total or b"-1") for total, _, _ in rows] == [len(found)] * max(1, len(page))
    assert [int(item) for _, _, item in rows if item is not None] == page
