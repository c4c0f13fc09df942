"""The queries that handlers call, whichever way they are imported."""

import ast

import pytest

from toolaccord_codegen.queries.uses import find_uses, runs_own_sql

PACKAGE = "acme.shop.orders"


@pytest.mark.parametrize(
    "text",
    [
        "from acme.shop.orders import queries\nasync def get(request, call): await queries.read(call.database)",
        "from acme.shop.orders import queries as q\nasync def get(request, call): await q.read(call.database)",
        "from acme.shop.orders.queries import read\nasync def get(request, call): await read(call.database)",
        "from acme.shop.orders.queries import read as r\nasync def get(request, call): await r(call.database)",
        "from acme.shop import orders\nasync def get(request, call): await orders.queries.read(call.database)",
        "from acme.shop import orders as o\nasync def get(request, call): await o.queries.read(call.database)",
        "import acme.shop.orders.queries\nasync def get(request, call): await acme.shop.orders.queries.read(call.a)",
        "import acme.shop.orders.queries as q\nasync def get(request, call): await q.read(call.database)",
        "import acme.shop.orders\nasync def get(request, call): await acme.shop.orders.queries.read(call.database)",
        "import acme.shop.orders as o\nasync def get(request, call): await o.queries.read(call.database)",
        "async def get(request, call):\n    from acme.shop.orders import queries\n    await queries.read(call.database)",
        "if True:\n    from acme.shop.orders import queries\nasync def get(request, call): await queries.read(call.a)",
    ],
)
def test_a_query_is_found_whichever_way_it_is_imported(text: str) -> None:
    assert find_uses(ast.parse(text), PACKAGE) == {"get": {"read"}}


@pytest.mark.parametrize(
    "text",
    [
        (
            "async def get(request, call): await _one(call)\nasync def _one(call): await _two(call)\n"
            "async def _two(call):\n    await queries.read(call)\n    await _one(call)"
        ),
        "READ = {'a': queries.read}\nasync def get(request, call): await READ['a'](call.database)",
        (
            "class _Reader:\n    async def read(self, call): await queries.read(call)\n"
            "async def get(request, call): await _Reader().read(call)"
        ),
        "async def get(request, call):\n    async def inner(): await queries.read(call)\n    await inner()",
        "async def get(request, call): await asyncio.gather(*map(queries.read, [call]))",
    ],
)
def test_a_query_is_found_behind_other_parts_of_the_module(text: str) -> None:
    assert find_uses(ast.parse(f"from acme.shop.orders import queries\n{text}"), PACKAGE)["get"] == {"read"}


def test_queries_of_another_server_do_not_count() -> None:
    text = "from acme.shop.stock import queries\nasync def get(request, call): await queries.read(call.database)"
    assert find_uses(ast.parse(text), PACKAGE) == {"get": frozenset()}


def test_a_module_that_sends_statements_is_known() -> None:
    assert runs_own_sql(ast.parse("async def get(request, call): await call.database.fetch_values('SELECT 1')"))
    assert not runs_own_sql(ast.parse("async def get(request, call): await queries.read(call.database)"))
