"""Keys of an authorization server: fetched seldom, and kept while nobody answers."""

import asyncio
import gzip
import json
import threading
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed448, ed25519, rsa

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
    assert all(await asyncio.gather(*(keys.find("one", "RS256") for _ in range(50))))
    assert server.requests == 1


async def test_unknown_keys_cause_one_fetch_in_half_a_minute(
    keys: KeySet, server: AuthorizationServer, clock: ManualClock
) -> None:
    assert await keys.find("one", "RS256")
    for number in range(100):
        assert await keys.find(f"guess {number}", "RS256") == []
    assert server.requests == 1
    clock.advance(30)
    assert await keys.find("a guess", "RS256") == []
    assert server.requests == 2


async def test_a_key_that_was_rotated_is_found_and_the_old_one_is_gone(
    keys: KeySet, server: AuthorizationServer, clock: ManualClock
) -> None:
    assert await keys.find("one", "RS256")
    server.keys = {"two": rsa.generate_private_key(65537, 2048)}
    clock.advance(30)
    assert await keys.find("two", "RS256")
    assert await keys.find("one", "RS256") == []


async def test_nobody_waits_for_a_key_that_is_known(
    keys: KeySet, server: AuthorizationServer, clock: ManualClock
) -> None:
    assert await keys.find("one", "RS256")
    server.hold = threading.Event()
    clock.advance(3600)
    assert await asyncio.wait_for(keys.find("one", "RS256"), 1)
    server.hold.set()


async def test_keys_stay_while_the_server_does_not_answer(
    keys: KeySet, server: AuthorizationServer, clock: ManualClock, caplog: pytest.LogCaptureFixture
) -> None:
    assert await keys.find("one", "RS256")
    server.status = 503
    clock.advance(7200)
    assert await keys.find("one", "RS256")
    assert await keys.find("two", "RS256") == []
    assert await keys.find("one", "RS256")
    assert "stay as they were: status 503" in caplog.text


async def test_a_slow_answer_is_not_waited_for(
    keys: KeySet, server: AuthorizationServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("toolaccord.callers.key_set._TIMEOUT_S", 0.05)
    server.hold = threading.Event()
    with pytest.raises(KeysUnavailable):
        await keys.find("one", "RS256")
    server.hold.set()


@pytest.mark.parametrize("damage", [{"key_ops": None}, {"kty": "EC", "crv": []}, {"alg": []}])
async def test_a_damaged_key_leaves_the_others(
    keys: KeySet, server: AuthorizationServer, damage: dict[str, object]
) -> None:
    good = server.published()[0]
    server.body = json.dumps({"keys": [{**good, "kid": "damaged", **damage}, good]}).encode()
    assert await keys.find("one", "RS256")
    assert await keys.find("damaged", "RS256") == []


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
        (200, gzip.compress(b'{"keys": "' + b"x" * 10_000_000 + b'"}')),
    ],
    ids=["redirect", "HTML", "list", "number", "empty", "symmetric", "damaged", "huge", "compressed"],
)
async def test_no_token_can_be_verified_before_there_is_a_key_set(
    keys: KeySet, server: AuthorizationServer, status: int, body: bytes
) -> None:
    server.status, server.body = status, body
    for _ in range(2):
        with pytest.raises(KeysUnavailable):
            await keys.find("one", "RS256")
    assert server.requests == 1


@pytest.mark.parametrize(
    "change",
    [
        {"use": "enc"},
        {"key_ops": ["sign"]},
        {"key_ops": "verify"},
        {"alg": "HS256"},
        {"alg": "none"},
        {"alg": "RSA-OAEP"},
        {"kty": "EC"},
        {"d": "AQAB"},
        {"n": "AQAB"},
    ],
)
async def test_a_key_for_something_else_verifies_nothing_and_is_logged_without_its_content(
    keys: KeySet, server: AuthorizationServer, change: dict[str, object], caplog: pytest.LogCaptureFixture
) -> None:
    good = server.published()[0]
    server.body = json.dumps({"keys": [{**good, "kid": "a name that is long", **change}, good]}).encode()
    assert await keys.find("a name that is long", "RS256") == []
    assert "key 1 of the authorization server ('a name that '…) is not used: it" in caplog.text
    assert good["n"] not in caplog.text
    assert "AQAB" not in caplog.text


@pytest.mark.parametrize(
    "key, named, accepted",
    [
        (ed25519.Ed25519PrivateKey.generate(), None, {"EdDSA", "Ed25519"}),
        (ed25519.Ed25519PrivateKey.generate(), "Ed25519", {"EdDSA", "Ed25519"}),
        (ed448.Ed448PrivateKey.generate(), "Ed448", {"EdDSA", "Ed448"}),
        (ec.generate_private_key(ec.SECP256R1()), "ES256", {"ES256"}),
        (ec.generate_private_key(ec.SECP521R1()), None, {"ES512"}),
        (ec.generate_private_key(ec.SECP256R1()), "ESP256", set()),
        (ec.generate_private_key(ec.SECP521R1()), "ES521", set()),
        (ec.generate_private_key(ec.SECP256K1()), "ES256K", set()),
    ],
    ids=["Edwards", "Ed25519", "Ed448", "ES256", "P-521", "ESP256 of COSE", "ES521", "ES256K"],
)
async def test_a_key_has_the_names_of_its_one_algorithm(
    keys: KeySet, server: AuthorizationServer, key: Any, named: str | None, accepted: set[str]
) -> None:
    server.keys["other"] = key
    published = server.published()
    if named:
        published[1]["alg"] = named
    server.body = json.dumps({"keys": published}).encode()
    algorithms = {"EdDSA", "Ed25519", "Ed448", "ES256", "ES512", "ES521", "ESP256", "ES256K", "RS256", "HS256", "none"}
    assert {each for each in algorithms if await keys.find("other", each)} == accepted


async def test_a_token_without_an_id_may_be_of_a_few_keys_of_its_algorithm(
    keys: KeySet, server: AuthorizationServer
) -> None:
    server.keys["curve"] = ec.generate_private_key(ec.SECP256R1())
    first, curve = server.published()
    nameless = [{name: value for name, value in first.items() if name != "kid"}] * 20
    server.body = json.dumps({"keys": [first, *nameless, curve]}).encode()
    assert len(await keys.find(None, "RS256")) == 8
    assert len(await keys.find(None, "ES256")) == 1
    assert len(await keys.find("one", "RS256")) == 1
