"""The parts of a database that a draft takes, and what it cannot take."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.codegen.drafts.postgresql.importing import execute
from toolaccord_codegen.__main__ import main
from toolaccord_codegen.cli.queries.database import Databases

NAMES = ("--package", "chosen", "--handlers", "chosen_handlers")
SCHEMA = """
CREATE EXTENSION citext;
CREATE EXTENSION file_fdw;
CREATE SERVER files FOREIGN DATA WRAPPER file_fdw;
CREATE FOREIGN TABLE away (line text) SERVER files OPTIONS (filename '/nowhere');
CREATE TABLE places (id serial PRIMARY KEY, name text NOT NULL, area citext, CHECK (area <> 'x'));
CREATE INDEX ON places (area);
CREATE TABLE needy (id integer PRIMARY KEY, area citext NOT NULL);
CREATE TABLE visits (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), place integer REFERENCES places, note text);
CREATE TABLE keyless (a integer);
CREATE VIEW areas AS SELECT area FROM places;
CREATE VIEW names AS SELECT name FROM places;
CREATE TABLE idempotency_keys (key text PRIMARY KEY);
"""
pytestmark = pytest.mark.usefixtures("one_postgresql")


@pytest.fixture
def database(empty_postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Give a database in a new project, whose compiler lacks the extension citext."""
    monkeypatch.chdir(tmp_path)
    own = Databases.list_extensions
    monkeypatch.setattr(Databases, "list_extensions", lambda self: own(self) - {"citext"})
    execute(empty_postgres_url, SCHEMA)
    yield empty_postgres_url
    execute(empty_postgres_url, "DROP SERVER files CASCADE")


def draft(url: str, *options: str) -> tuple[Any, set[tuple[str, str, str]]]:
    """Return the drafted tools by name, and the differences."""
    arguments = ["acme/map", "--from-postgresql", url, "--report", "losses.json", *NAMES]
    assert main(["import", *arguments, *options]) == 0
    contract = json.loads(Path("contracts/acme/map.json").read_text())
    losses = json.loads(Path("losses.json").read_text())["losses"]
    return {tool["name"]: tool for tool in contract["tools"]}, {
        (each["owner"], each["pointer"], each["effect"]) for each in losses
    }


def test_what_cannot_be_drafted_is_reported(database: str) -> None:
    tools, losses = draft(database)
    assert set(tools) == {
        *("search_places", "get_place", "add_place", "search_needies", "get_needy"),
        *("search_visits", "get_visit", "add_visit", "search_names"),
    }
    assert losses == {
        ("view areas", "", "narrower"),
        ("table away", "", "narrower"),
        ("table keyless", "", "narrower"),
        ("table needy", "/columns/area", "narrower"),
        ("table needy", "", "narrower"),
        ("table places", "/columns/area", "narrower"),
        ("table places", "/constraints/places_area_check", "same"),
        ("table places", "/indexes/places_area_idx", "same"),
    }
    assert "citext" not in Path("chosen_handlers/acme/migrations/0001_map.sql").read_text()


def test_a_chosen_table_brings_what_it_refers_to_without_tools(database: str) -> None:
    tools, _ = draft(database, "--table", "visits", "--keys")
    assert set(tools) == {"search_visits", "get_visit", "add_visit"}
    assert "CREATE TABLE public.places" in Path("chosen_handlers/acme/migrations/0001_map.sql").read_text()
    assert list(tools["add_visit"]["parameters"]["properties"]) == ["id", "place", "note"]
    assert "required" not in tools["add_visit"]["parameters"]


def test_a_draft_is_replaced_by_force_and_its_migration_with_it(
    database: str, capsys: pytest.CaptureFixture[str]
) -> None:
    draft(database, "--table", "visits")
    execute(database, "ALTER TABLE visits ADD COLUMN stars smallint CHECK (stars BETWEEN 1 AND 5)")
    assert main(["import", "acme/map", "--from-postgresql", database, *NAMES]) == 2
    assert "contracts/acme/map.json exists already" in capsys.readouterr().err
    tools, _ = draft(database, "--table", "visits", "--force")
    assert tools["add_visit"]["parameters"]["properties"]["stars"]["maximum"] == 5
    assert [path.name for path in Path("chosen_handlers/acme/migrations").iterdir()] == ["0001_map.sql"]


def test_a_second_server_of_a_system_shares_its_tables(database: str) -> None:
    draft(database, "--table", "visits")
    arguments = ["acme/names", "--from-postgresql", database, "--table", "places", *NAMES]
    assert main(["import", *arguments]) == 0
    assert sorted(path.name for path in Path("chosen_handlers/acme/migrations").iterdir()) == [
        "0001_map.sql",
        "0002_names.sql",
    ]


def test_numbers_in_names_stay(database: str) -> None:
    tables = ("sales_2025", "sales_2026", "box1", "status", "addresses")
    execute(database, ";".join(f"CREATE TABLE {name} (id integer PRIMARY KEY)" for name in tables))
    tools, losses = draft(database, *(option for name in tables for option in ("--table", name)))
    assert [name for name in tools if name.startswith(("search", "get"))] == [
        *("search_sales_2025", "get_sale_2025", "search_sales_2026", "get_sale_2026"),
        *("search_boxes1", "get_box1", "search_statuses", "get_status", "search_addresses", "get_address"),
    ]
    assert losses == set()


def test_a_malformed_address_is_not_shown(database: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert database
    origin = ["--from-postgresql", "postgresql://ann:s3:cret@[x/y?z"]
    assert main(["import", "acme/map", *origin, *NAMES]) == 2
    printed = capsys.readouterr().err
    assert "the URL of the database cannot be read" in printed
    assert "cret" not in printed
