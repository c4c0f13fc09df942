"""The viewer of the OpenAPI document."""

import hashlib

import pytest

from tests.toolaccord.listener import Listener

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_the_page_may_load_nothing_from_elsewhere(server: Listener) -> None:
    response = await server.client.get("/docs")
    policy = dict(part.strip().split(" ", 1) for part in response.headers["content-security-policy"].split(";"))
    assert policy.pop("default-src") == "'none'"
    assert {source for sources in policy.values() for source in sources.split()} <= {"'self'", "'none'", "data:"}
    assert "//" not in response.text


async def test_the_files_of_swagger_ui_are_unchanged(server: Listener) -> None:
    for name, digest in (
        ("swagger-ui-bundle.js", "e6a898692f2d768e807c3ba4626068a69a2c5dd960dd6c76f3e4d3a3de180af2"),
        ("swagger-ui.css", "5ed08757e53da3e026d6cbecc61fe5d43585c9560b302d534ad56692519a273d"),
    ):
        response = await server.client.get(f"/docs/{name}")
        assert hashlib.sha256(response.content).hexdigest() == digest
