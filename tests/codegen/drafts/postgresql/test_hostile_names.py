"""Names and texts of a database enter SQL, JSON and Python as text alone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.codegen.drafts.postgresql.importing import Imported, execute, importing
from tests.codegen.drafts.postgresql.test_imported_database import call, read_contract, refused
from tests.conftest import NewDatabase
from toolaccord_codegen.__main__ import main

NASTY = '$role$; DROP TABLE victims; -- {{ 7 * 7 }} \\ \'q\' """ $do$ :name? /* %s \u2028'
COLUMN = "a\"; b\\c {{ x }} ''' :p? -- name: evil :exec"
TEXT = "returns: get_victim\n-- name: evil :exec\n{{ 7 * 7 }} \"\"\" ''' \\ $do$ $role$ %s"
pytestmark = pytest.mark.usefixtures("one_postgresql")


def quote(name: str) -> str:
    """Return a name as SQL has it."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """Return a text as SQL has it."""
    return "E'" + text.replace("\\", "\\\\").replace("'", "''") + "'"


SCHEMA = f"""
CREATE SCHEMA {quote("S'x")};
CREATE TYPE {quote("t'y$do$")} AS ENUM ({literal(TEXT[:50])}, 'b');
CREATE TABLE victims (id serial PRIMARY KEY, name text);
CREATE TABLE {quote("S'x")}.{quote(NASTY)} (
    "select" serial PRIMARY KEY,
    {quote(COLUMN)} text NOT NULL DEFAULT {literal(TEXT[:19])} CHECK ({quote(COLUMN)} <> {literal(TEXT)}),
    {quote("Größe")} integer,
    "class" {quote("t'y$do$")},
    "Name" text, "name" text, postgres text, "limit" boolean, "offset" boolean, sort boolean, json text, str text,
    "1st" text, "_hidden" text, "self" text, "request" text, "call" text,
    {quote("line" + chr(10) + "break")} text,
    CONSTRAINT {quote("c'" + NASTY[:40])} UNIQUE ("Name")
);
COMMENT ON TABLE {quote("S'x")}.{quote(NASTY)} IS {literal(TEXT)};
COMMENT ON COLUMN {quote("S'x")}.{quote(NASTY)}."name" IS {literal(TEXT)};
CREATE TABLE {quote("line" + chr(10) + "-- name: evil :exec")} (id integer PRIMARY KEY);
CREATE VIEW "a.b" AS SELECT id, name FROM victims;
"""
STORED_NAME = NASTY.encode()[:63].decode(errors="ignore")
"""The name without what PostgreSQL cuts off."""


@pytest.fixture(scope="module")
def hostile(new_database: NewDatabase, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Imported]:
    """Give a project that is drafted of hostile names."""
    tables = ("victims", "a.b", f"S'x.{STORED_NAME}")
    options = [option for name in tables for option in ("--table", name)]
    with importing(new_database, tmp_path_factory.mktemp("hostile"), "hostile_shop", SCHEMA, options) as project:
        yield project


@pytest.fixture(scope="module")
def role_url(hostile: Imported) -> Iterator[str]:
    """Give the URL of the server's role, which has no other rights."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SHOP_MCP_PASSWORD", "p'w")
        assert main(["migrate", "acme", "--roles", *hostile.names]) == 0
    parts = urlsplit(hostile.url)
    yield parts._replace(netloc=f"shop_mcp@{parts.netloc.rpartition('@')[2]}").geturl()
    execute(hostile.url, "DROP OWNED BY shop_mcp; DROP ROLE shop_mcp")


def find_tool(project: Imported, verb: str) -> Any:
    """Return the tool of the hostile table that begins with a verb."""
    (found,) = [each for each in read_contract(project)["tools"] if each["name"].startswith(f"{verb}_role")]
    return found


def test_a_draft_of_hostile_names_is_complete(hostile: Imported, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["generate", *hostile.names]) == 0
    main(["check", *hostile.names])
    output = capsys.readouterr().out
    assert "Files: ok" in output
    assert "Handlers: ok" in output
    assert "failed: lint\n" in output
    hostile.check_types()


def test_no_name_makes_another_query_or_tool(hostile: Imported) -> None:
    names = [tool["name"] for tool in read_contract(hostile)["tools"]]
    heads = [
        line.split()[2] for line in (hostile.handlers / "shop.sql").read_text().split("\n") if line[:8] == "-- name:"
    ]
    assert heads == names
    assert "evil" not in heads
    assert "49" not in (hostile.handlers / "shop.py").read_text()


def test_members_have_names_of_their_own(hostile: Imported) -> None:
    members = find_tool(hostile, "add")["parameters"]["properties"]
    assert all(name.isascii() and name.isidentifier() for name in members)
    assert {"Name", "self", "request", "call"} < members.keys()
    assert members.keys().isdisjoint({"class", "json", "str", "_hidden", "postgres", "name"})


def test_a_name_with_a_line_break_is_reported(hostile: Imported) -> None:
    losses = json.loads((hostile.folder / "losses.json").read_text())["losses"]
    assert ("/columns/line\nbreak", "narrower") in {(each["pointer"], each["effect"]) for each in losses}


async def test_tools_on_hostile_names_run_with_the_rights_of_their_role(hostile: Imported, role_url: str) -> None:
    search, get, add = (find_tool(hostile, verb)["name"] for verb in ("search", "get", "add"))
    members = find_tool(hostile, "add")["parameters"]["properties"]
    row = {name: TEXT for name, each in members.items() if each["type"] == "string" and "enum" not in each}
    renamed = next(name for name, each in members.items() if "default" in each)
    row |= {name: each["enum"][0] for name, each in members.items() if "enum" in each} | {renamed: "x"}
    async with hostile.started(role_url) as server:
        added = await call(server, add, row, "key")
        assert await call(server, add, row, "key") == added
        assert added.items() >= row.items()
        assert await refused(server, add, row) == "ALREADY_EXISTS"
        assert await refused(server, add, {**row, "Name": "other", renamed: TEXT}) == "VALUE_REJECTED"
        assert await call(server, get, {"select": added["select"]}) == added
        for name, each in find_tool(hostile, "search")["parameters"]["properties"].items():
            value = each["enum"][-1] if "enum" in each else {"string": TEXT, "boolean": True}.get(each["type"], 1)
            await call(server, search, {name: value})
        assert (await call(server, search, {"Name": TEXT}))["items"] == [added]
        victim = await call(server, "add_victim", {"name": "still here"})
        assert (await call(server, "search_a_bs", {}))["items"] == [victim]


def test_a_database_without_tables_is_no_draft(
    hostile: Imported, empty_postgres_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    origin = ["--from-postgresql", empty_postgres_url]
    assert main(["import", "acme/empty", *origin, *hostile.names]) == 2
    assert "it has no table with a primary key and no view in the schema public" in capsys.readouterr().err
    assert main(["import", "acme/empty", *origin, "--table", "x", *hostile.names]) == 2
    assert "it has no table or view x" in capsys.readouterr().err
    assert not (hostile.folder / "contracts/acme/empty.json").exists()


def test_an_address_that_does_not_answer_is_named_without_its_password(
    hostile: Imported, capsys: pytest.CaptureFixture[str]
) -> None:
    origin = ["--from-postgresql", "postgresql://ann:s3cret@127.0.0.1:1/shop"]
    assert main(["import", "acme/away", *origin, *hostile.names]) == 2
    printed = capsys.readouterr().err
    assert "the database cannot be read: " in printed
    assert "s3cret" not in printed


def test_an_update_is_refused_and_nothing_is_replaced_unasked(
    hostile: Imported, capsys: pytest.CaptureFixture[str]
) -> None:
    origin = ["--from-postgresql", hostile.url]
    assert main(["import", "acme/shop", *origin, "--update", *hostile.names]) == 2
    assert "--update does not merge drafts of a database" in capsys.readouterr().err
    (hostile.handlers / "lone.sql").write_text("-- name: a :exec\nSELECT 1;\n")
    assert main(["import", "acme/lone", *origin, *hostile.names]) == 2
    assert "acme/lone.sql exists already" in capsys.readouterr().err
    (hostile.handlers / "lone.sql").unlink()
