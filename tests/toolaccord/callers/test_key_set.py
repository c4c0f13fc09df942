"""Keys of an authorization server: fetched seldom, and kept while nobody answers."""

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Iterator

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.toolaccord.callers.authorization_server import AuthorizationServer, serving
from toolaccord.callers.key_set import KeySet
from toolaccord.callers.rules import KeysUnavailable
from toolaccord.testing import ManualClock


@pytest.fixture
def server() -> Iterator[AuthorizationServer]:
    with serving() as server:
        yield server


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
async def keys(server: AuthorizationServer, clock: ManualClock) -> AsyncIterator[KeySet]:
    keys = KeySet(server.keys_url, clock)
    yield keys
    await keys.close()


async def test_one_fetch_serves_all_who_wait(keys: KeySet, server: AuthorizationServer) -> None:
    assert all(await asyncio.gather(*(keys.find("one") for _ in range(50))))
    assert server.requests == 1


async def test_unknown_keys_cause_one_fetch_in_half_a_minute(
    keys: KeySet, server: AuthorizationServer, clock: ManualClock
) -> None:
    assert await keys.find("one")
    for number in range(100):
        assert await keys.find(f"guess {number}") is None
    assert server.requests == 1
    clock.advance(30)
    assert await keys.find("a guess") is None
    assert server.requests == 2


async def test_a_key_that_was_rotated_is_found_and_the_old_one_is_gone(
    keys: KeySet, server: AuthorizationServer, clock: ManualClock
) -> None:
    assert await keys.find("one")
    server.keys = {"two": rsa.generate_private_key(65537, 2048)}
    clock.advance(30)
    assert await keys.find("two")
    assert await keys.find("one") is None


async def test_nobody_waits_for_a_key_that_is_known(
    keys: KeySet, server: AuthorizationServer, clock: ManualClock
) -> None:
    assert await keys.find("one")
    server.hold = threading.Event()
    clock.advance(3600)
    assert await asyncio.wait_for(keys.find("one"), 1)
    server.hold.set()


async def test_keys_stay_while_the_server_does_not_answer(
    keys: KeySet, server: AuthorizationServer, clock: ManualClock, caplog: pytest.LogCaptureFixture
) -> None:
    assert await keys.find("one")
    server.status = 503
    clock.advance(7200)
    assert await keys.find("one")
    assert await keys.find("two") is None
    assert await keys.find("one")
    assert "stay as they were: status 503" in caplog.text


@pytest.mark.parametrize("damage", [{"key_ops": None}, {"kty": "EC", "crv": []}, {"alg": []}])
async def test_a_damaged_key_leaves_the_others(
    keys: KeySet, server: AuthorizationServer, damage: dict[str, object]
) -> None:
    good = server.published()[0]
    server.body = json.dumps({"keys": [{**good, "kid": "damaged", **damage}, good]}).encode()
    assert await keys.find("one")
    assert await keys.find("damaged") is None


@pytest.mark.parametrize(
    "status, body",
    [
        (301, b"{}"),
        (200, b"<html>login</html>"),
        (200, b"[]"),
        (200, b'{"keys": 7}'),
        (200, b'{"keys": []}'),
        (200, b'{"keys": [7, {"kty": "oct", "k": "c2VjcmV0", "kid": "one"}]}'),
        (200, b'{"keys": [{"kty": "RSA", "kid": "one", "n": "!", "e": "AQAB"}]}'),
        (200, b'{"keys": "' + b"x" * 300_000 + b'"}'),
    ],
    ids=["redirect", "HTML", "list", "number", "empty", "symmetric", "damaged", "huge"],
)
async def test_no_token_can_be_verified_before_there_is_a_key_set(
    keys: KeySet, server: AuthorizationServer, status: int, body: bytes
) -> None:
    server.status, server.body = status, body
    for _ in range(2):
        with pytest.raises(KeysUnavailable):
            await keys.find("one")
    assert server.requests == 1


@pytest.mark.parametrize(
    "change", [{"use": "enc"}, {"key_ops": ["sign"]}, {"alg": "HS256"}, {"alg": "none"}, {"kty": "EC"}]
)
async def test_a_key_for_something_else_verifies_nothing(
    keys: KeySet, server: AuthorizationServer, change: dict[str, object]
) -> None:
    good = server.published()[0]
    server.body = json.dumps({"keys": [{**good, "kid": "other", **change}, good]}).encode()
    assert await keys.find("other") is None


async def test_a_key_set_with_one_key_needs_no_id(keys: KeySet) -> None:
    assert await keys.find(None)
