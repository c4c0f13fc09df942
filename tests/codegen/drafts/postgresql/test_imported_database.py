"""Tools that are imported from a database run on it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.codegen.drafts.postgresql.importing import Imported, execute, importing
from tests.conftest import NewDatabase
from toolaccord.call.pipeline import Pipeline
from toolaccord_codegen.__main__ import main

SHOP = Path(__file__).with_name("shop.sql").read_text()
TABLES = ("categories", "customers", "products", "orders", "order_lines", "events", "tags", "logs", "refused")
CHOSEN = (*TABLES, "paid_orders", "kinds", "sales.regions")
MISSING_ORDER = "00000000-0000-0000-0000-000000000000"
pytestmark = pytest.mark.usefixtures("one_postgresql")


@pytest.fixture(scope="module")
def shop(new_database: NewDatabase, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Imported]:
    """Give a project with the tools of every table and view, and some rows."""
    chosen = [option for name in CHOSEN for option in ("--table", name)]
    with importing(new_database, tmp_path_factory.mktemp("shop"), "drafted_shop", SHOP, chosen) as project:
        yield project


async def call(server: Pipeline, tool: str, arguments: dict[str, Any], key: str | None = None) -> Any:
    """Return the result of a call, which succeeds."""
    answer = await server.call(tool, arguments, {"idempotency_key": key} if key else None)
    assert not answer.is_error, (tool, arguments, answer.body)
    return answer.body


async def refused(server: Pipeline, tool: str, arguments: dict[str, Any]) -> str:
    """Return the code of a call that fails."""
    answer = await server.call(tool, arguments)
    assert answer.is_error, (tool, arguments, answer.body)
    return str(answer.body["error"]["code"])


def read_contract(project: Imported) -> Any:
    """Return the drafted contract."""
    return json.loads((project.folder / "contracts/acme/shop.json").read_text())


def find_arguments(project: Imported, tool: str) -> Any:
    """Return the arguments of a tool, without their descriptions."""
    (found,) = [each for each in read_contract(project)["tools"] if each["name"] == tool]
    members = found["parameters"]["properties"]
    return {name: {k: v for k, v in each.items() if k != "description"} for name, each in members.items()}


def test_a_draft_is_complete(shop: Imported, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["generate", *shop.names]) == 0
    main(["check", *shop.names])
    output = capsys.readouterr().out
    assert "Files: ok" in output
    assert "Handlers: ok" in output
    assert "Queries: ok" in output
    shop.check_types()


def test_every_table_has_its_tools(shop: Imported) -> None:
    names = {tool["name"] for tool in read_contract(shop)["tools"]}
    assert names == {
        *("search_categories", "get_category", "add_category", "search_customers", "get_customer", "add_customer"),
        *("search_products", "get_product", "add_product", "search_orders", "get_order", "add_order"),
        *("search_order_lines", "get_order_line", "add_order_line", "search_events", "get_event", "add_event"),
        *("search_tags", "get_tag", "add_tag", "search_logs", "add_log", "search_refuseds", "get_refused"),
        *("add_refused", "search_paid_orders", "search_kinds", "search_regions", "get_region", "add_region"),
    }


def test_the_migration_changes_nothing_where_everything_is(shop: Imported) -> None:
    tables = (
        "SELECT count(*) FROM pg_class WHERE relkind IN ('r', 'p', 'v', 'm') AND relnamespace = 'public'::regnamespace"
    )
    migrations = "SELECT name FROM toolaccord_migrations WHERE system = 'acme'"
    assert execute(shop.url, migrations) == [("0001_shop.sql",)]
    assert execute(shop.url, tables) == [(len(TABLES) + 3 + 2,)]  # a partition, two views, two tables of the library


def test_checks_and_defaults_become_keywords(shop: Imported) -> None:
    product = find_arguments(shop, "add_product")
    assert product["sku"] == {"type": "string", "pattern": "^[A-Z]{2,4}-[0-9]{3}$"}
    assert product["title"] == {"type": "string", "minLength": 1, "maxLength": 120}
    assert product["kind"] == {"type": "string", "enum": ["book", "toy", "game"], "default": "book"}
    assert product["price"] == {"type": "number", "minimum": 0, "exclusiveMaximum": 10**8}
    assert product["rating"] == {"type": "number", "minimum": 0, "maximum": 5, "default": 0.5}
    assert product["tags"] == {"type": "array", "items": {"type": "string"}, "maxItems": 5}
    assert "loud" not in product
    order = find_arguments(shop, "add_order")
    assert order["status"]["enum"] == ["new", "paid", "sent", 'it\'s "odd"']
    assert "id" not in order
    assert find_arguments(shop, "add_customer")["fullName"] == {"type": "string", "minLength": 2, "maxLength": 80}
    assert find_arguments(shop, "add_order_line")["quantity"] == {
        "type": "integer",
        "minimum": 1,
        "maximum": 2**31 - 1,
    }


def test_comments_become_descriptions(shop: Imported) -> None:
    contract = read_contract(shop)
    customer = contract["$defs"]["Customer"]
    assert customer["description"] == "People who buy."
    assert customer["properties"]["fullName"]["description"] == "Name as on the passport"
    assert customer["properties"]["customer_id"]["description"] == "The customer id of the customer"
    (search,) = [tool for tool in contract["tools"] if tool["name"] == "search_paid_orders"]
    assert search["description"] == "Search paid orders. Orders that were paid"


def test_columns_that_may_not_be_null_are_required(shop: Imported) -> None:
    definitions = read_contract(shop)["$defs"]
    assert definitions["OrderLine"]["required"] == ["order_id", "line_no", "sku"]
    assert definitions["PaidOrder"]["required"] == []


def test_differences_are_reported(shop: Imported) -> None:
    losses = json.loads((shop.folder / "losses.json").read_text())["losses"]
    found = {(each["owner"], each["pointer"], each["keyword"], each["effect"]) for each in losses}
    assert found >= {
        ("table customers", "/columns/email/type", "CHECK", "wider"),
        ("table orders", "/columns/from", "name", "same"),
        ("table orders", "/columns/from/type", "inet", "same"),
        ("table orders", "/columns/period/type", "tstzrange", "same"),
        ("table products", "/columns/discount/type", "numeric", "same"),
        ("table refused", "/triggers/keeps_out", "triggers", "same"),
    }
    assert ("table products", "/columns/price/type", "numeric", "same") not in found


async def test_a_row_is_added_once_for_a_key(shop: Imported) -> None:
    ann = {"fullName": "Ann", "email": "Ann@example.org", "home": '("Main st",123)', "profile": {"a": [1, None, True]}}
    async with shop.started() as server:
        first = await call(server, "add_customer", ann, "ann")
        assert await call(server, "add_customer", ann, "ann") == first
        assert first.items() >= {**ann, "vip": False}.items()
        assert await refused(server, "add_customer", ann) == "ALREADY_EXISTS"
        assert await call(server, "get_customer", {"customer_id": first["customer_id"]}) == first
        found = await call(server, "search_customers", {"email": "ANN@EXAMPLE.ORG", "vip": False})
        assert found["items"] == [first]
        assert found["pagination"] == {"offset": 0, "limit": 20, "total": 1, "has_more": False}
        assert (await call(server, "search_customers", {"vip": True}))["items"] == []
    assert execute(shop.url, "SELECT count(*) FROM customers") == [(1,)]


async def test_every_type_survives_a_round_trip(shop: Imported) -> None:
    product = {
        "sku": "AB-123",
        "title": "Dubliners",
        "price": 1.25,
        "weight": 1.5,
        "tags": ["x", 'y "z"'],
        "picture": "AAECAwQF" * 30,
        "discount": 0.1,
        "released": "2026-01-02",
    }
    order = {
        "status": 'it\'s "odd"',
        "due": "2026-01-02 10:00:00",
        "order_from": "10.0.0.1/8",
        "limit": -5,
        "history": ["new", "paid"],
        "rates": [0.1, 2],
        "period": '["2026-01-01 00:00:00+00","2026-02-01 00:00:00+00")',
        "took": "1 day 02:00:00",
        "at_time": "10:30:00",
        "placed_at": "2026-01-01T00:00:00Z",
    }
    async with shop.started() as server:
        added = await call(server, "add_product", product)
        assert added == product | {"kind": "book", "rating": 0.5, "loud": "DUBLINERS"}
        assert await call(server, "get_product", {"sku": "AB-123"}) == added
        customer = await call(server, "add_customer", {"fullName": "Bob", "email": "bob@example.org"})
        placed = await call(server, "add_order", order | {"customer_id": customer["customer_id"]})
        assert placed.items() >= order.items()
        assert await call(server, "get_order", {"id": placed["id"]}) == placed
        line = {"order_id": placed["id"], "line_no": 1, "sku": "AB-123", "quantity": 3, "price": 2.0}
        assert await call(server, "add_order_line", line) == line
        assert await call(server, "get_order_line", {"order_id": placed["id"], "line_no": 1}) == line
        event = {"happened": "2026-05-05", "count": 3, "date": "2026-01-01", "payload": [1, "x"]}
        happened = await call(server, "add_event", event)
        assert happened == event | {"id": 1}
        assert await call(server, "get_event", {"id": 1, "happened": "2026-05-05"}) == happened
        region = {"code": "EU", "label": "Europe"}
        assert await call(server, "add_region", region) == region
        assert await call(server, "get_region", {"code": "EU"}) == region


async def test_every_filter_and_order_of_a_search_works(shop: Imported) -> None:
    async with shop.started() as server:
        customer = await call(server, "add_customer", {"fullName": "Cleo", "email": "cleo@example.org"})
        order = {"customer_id": customer["customer_id"], "placed_at": "2025-05-05T00:00:00Z", "due": "2025-06-01 10:00"}
        first = await call(server, "add_order", order | {"status": "paid", "limit": 7})
        second = await call(server, "add_order", order | {"placed_at": "2025-05-06T00:00:00Z", "limit": 8})
        own = {"customer_id": customer["customer_id"]}
        filters: list[tuple[dict[str, Any], list[Any]]] = [
            ({}, [first, second]),
            ({"status": "paid"}, [first]),
            ({"placed_at_from": "2025-05-06T00:00:00Z"}, [second]),
            ({"placed_at_before": "2025-05-06T00:00:00Z"}, [first]),
            ({"due_from": "2025-06-01T10:00:01"}, []),
            ({"due_before": "2025-06-01 10:01"}, [first, second]),
            ({"order_limit": 8}, [second]),
            ({"sort": "placed_at_desc"}, [second, first]),
            ({"sort": "placed_at", "limit": 1}, [first]),
            ({"sort": "placed_at", "limit": 1, "offset": 1}, [second]),
        ]
        for arguments, expected in filters:
            found = await call(server, "search_orders", own | {"sort": "placed_at"} | arguments)
            assert found["items"] == expected, arguments
        everything = {argument for arguments, _ in filters for argument in arguments} | own.keys() | {"offset", "limit"}
        assert everything == find_arguments(shop, "search_orders").keys()
        paid = await call(server, "search_paid_orders", {"vip": False, "status": "paid", "sort": "placed_at_desc"})
        assert first["id"] in [each["id"] for each in paid["items"]]
        execute(shop.url, "REFRESH MATERIALIZED VIEW kinds")
        assert (await call(server, "search_kinds", {}))["items"] == execute_kinds(shop)


def execute_kinds(shop: Imported) -> list[Any]:
    """Return the rows of the materialised view."""
    rows = execute(shop.url, "SELECT kind, number FROM kinds ORDER BY kind")
    return [{"kind": kind, "number": number} for kind, number in rows]


async def test_every_combination_of_lines_runs(shop: Imported) -> None:
    async with shop.started() as server:
        for tool in read_contract(shop)["tools"]:
            if not tool["name"].startswith("search_"):
                continue
            arguments = find_arguments(shop, tool["name"])
            for sort in arguments.get("sort", {}).get("enum", [None]):
                chosen = {} if sort is None else {"sort": sort}
                await call(server, tool["name"], chosen)
                await call(server, tool["name"], chosen | {"offset": 5})


async def test_rows_of_one_column_are_records(shop: Imported) -> None:
    async with shop.started() as server:
        assert await call(server, "add_tag", {"name": "x"}, "tag") == {"name": "x"}
        assert await call(server, "add_tag", {"name": "x"}, "tag") == {"name": "x"}
        assert await call(server, "get_tag", {"name": "x"}) == {"name": "x"}
        assert (await call(server, "search_tags", {}))["items"] == [{"name": "x"}]
        assert await call(server, "add_log", {}) == {}
        assert (await call(server, "search_logs", {}))["items"] == [{}]


@pytest.mark.parametrize(
    "tool, arguments, code",
    [
        ("get_order", {"id": MISSING_ORDER}, "NOT_FOUND"),
        ("get_tag", {"name": "missing"}, "NOT_FOUND"),
        ("get_product", {"sku": "\0"}, "VALUE_REJECTED"),
        ("search_orders", {"due_from": "2026-02-31 00:00"}, "VALUE_REJECTED"),
        ("add_order", {"customer_id": 10**6}, "REFERENCE_NOT_FOUND"),
        ("add_customer", {"fullName": "Dan", "email": "no address"}, "VALUE_REJECTED"),
        ("add_event", {"happened": "2036-01-01"}, "VALUE_REJECTED"),
        ("add_refused", {"id": 1}, "VALUE_REJECTED"),
        ("add_product", {"sku": "x", "title": "T", "price": 1}, "INVALID_ARGUMENTS"),
        ("add_product", {"sku": "AB-125", "title": "", "price": 1}, "INVALID_ARGUMENTS"),
        ("add_product", {"sku": "AB-125", "title": "T", "price": -1}, "INVALID_ARGUMENTS"),
        ("add_product", {"sku": "AB-125", "title": "T", "price": 1, "kind": "car"}, "INVALID_ARGUMENTS"),
    ],
)
async def test_a_call_that_fails_has_a_declared_code(
    shop: Imported, tool: str, arguments: dict[str, Any], code: str
) -> None:
    async with shop.started() as server:
        assert await refused(server, tool, arguments) == code


@pytest.fixture
def elsewhere(shop: Imported, new_database: NewDatabase) -> Iterator[str]:
    """Give a database that the drafted migration has filled."""
    with new_database() as url, pytest.MonkeyPatch.context() as patch:
        patch.setenv("DATABASE_URL", url)
        assert main(["migrate", "acme", *shop.names]) == 0
        yield url


async def test_the_migration_makes_the_same_tables_elsewhere(shop: Imported, elsewhere: str) -> None:
    assert describe(elsewhere) == describe(shop.url) - {("public.refused", "keeps_out")}
    async with shop.started(elsewhere) as server:
        assert await call(server, "add_category", {"name": "x"}) == {"id": 1, "name": "x"}
        added = await call(server, "add_event", {"happened": "2026-05-05"})
        assert added == {"id": 1, "happened": "2026-05-05", "count": 0}


def describe(url: str) -> set[Any]:
    """Return columns, constraints, indexes, comments and triggers of a database."""
    where = "c.relnamespace IN ('public'::regnamespace, 'sales'::regnamespace) AND c.relname !~ '^(toolaccord|idem)'"
    parts = f"""
    SELECT c.oid::regclass::text, concat_ws(' ', a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,
           a.attidentity, a.attgenerated, pg_get_expr(d.adbin, d.adrelid), col_description(c.oid, a.attnum))
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
    LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum WHERE c.relkind IN ('r', 'p', 'v', 'm') AND {where}
    UNION ALL SELECT c.oid::regclass::text, k.conname || pg_get_constraintdef(k.oid)
    FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid WHERE {where}
    UNION ALL SELECT c.oid::regclass::text, pg_get_indexdef(i.indexrelid)
    FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid WHERE {where}
    UNION ALL SELECT c.oid::regclass::text, obj_description(c.oid) FROM pg_class c
    WHERE obj_description(c.oid) IS NOT NULL AND {where}
    UNION ALL SELECT c.oid::regclass::text, t.tgname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
    WHERE NOT t.tgisinternal AND {where}
    """
    return {(re.sub(r"^(?!sales)", "public.", table), part) for table, part in execute(url, parts)}
