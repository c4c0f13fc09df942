"""Signatures of Project Wycheproof and of the standards, whose verdicts are known.

Each is demanded of the verifier of this server, and not of the library beneath it.
"""

import json
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.toolaccord.callers.authorization_server import RESOURCE, AuthorizationServer, serving
from toolaccord.callers.jwt_verifier import InvalidToken, JwtVerifier
from toolaccord.callers.rules import JwtRules, KeysUnavailable
from toolaccord.testing import ManualClock

VECTORS = Path(__file__).parent / "vectors"
WYCHEPROOF: list[dict[str, Any]] = json.loads((VECTORS / "wycheproof/json_web_signature_test.json").read_bytes())[
    "testGroups"
]


@pytest.fixture(scope="module")
def server() -> Iterator[AuthorizationServer]:
    with serving() as server:
        yield server


@asynccontextmanager
async def verifying(server: AuthorizationServer, keys: list[Any]) -> AsyncIterator[Callable[[str], Any]]:
    """Yield what returns the payload of a token, or None; the authorization server has *keys*."""
    server.body = json.dumps({"keys": [*keys, *server.published()]}).encode()
    verifier = JwtVerifier(JwtRules(issuer="a", audience=RESOURCE, keys_url=server.keys_url), ManualClock())

    async def verify(token: str) -> bytes | None:
        try:
            return await verifier.verify_signature(token)
        except (InvalidToken, KeysUnavailable):
            return None

    yield verify
    await verifier.close()


NO_SECRETS = "secrets that are shared verify nothing"
NO_JSON = "a bearer token has the compact form"
STANDARDS: list[dict[str, Any]] = json.loads((VECTORS / "standards.json").read_bytes())
REJECTED = {
    "RFC 7519 3.1, RFC 7515 A.1": NO_SECRETS,
    "RFC 7519 6.1, RFC 7515 A.5": "it is unsigned",
    "RFC 7515 A.6": NO_JSON,
    "RFC 7515 A.7": NO_JSON,
    "RFC 7520 4.2": "a key of RSA without alg is one for RS256, and the token has PS384",
    "RFC 7520 4.4": NO_SECRETS,
    "RFC 7520 4.5": "the payload is detached",
    "RFC 7520 4.6": NO_JSON,
    "RFC 7520 4.7": NO_JSON,
    "RFC 7520 4.8": NO_JSON,
}
"""Examples that are valid, and give no access, with the reason."""
RSA_OF_ANOTHER = "the key says PS256, and the token has PS384"
MISSPELT = "the key says ES521, which is no algorithm"
NO_CLAIMS = "an empty payload is no claims set"
EXCEPTIONS = {
    **dict.fromkeys((1, 348, 352, 357, 358, 359, 372, 373, 376, 377), NO_SECRETS),
    **dict.fromkeys((259, 264, 268, 272, 320, 325), NO_CLAIMS),
    **dict.fromkeys((346, 350), RSA_OF_ANOTHER),
    **dict.fromkeys((347, 351), MISSPELT),
}
"""Vectors of Wycheproof that it calls valid, and that give no access, by tcId."""


@pytest.mark.parametrize("vector", STANDARDS, ids=[each["name"] for each in STANDARDS])
async def test_examples_of_the_standards_have_their_verdicts(
    server: AuthorizationServer, vector: dict[str, Any]
) -> None:
    async with verifying(server, [vector["key"]]) as verify:
        assert (await verify(vector["jws"]) is None) == (vector["name"] in REJECTED)


@pytest.mark.parametrize(
    "vector", [each for each in STANDARDS if each["name"] not in REJECTED], ids=lambda it: it["name"]
)
async def test_an_example_with_one_other_character_gives_no_access(
    server: AuthorizationServer, vector: dict[str, Any]
) -> None:
    token = vector["jws"]
    async with verifying(server, [vector["key"]]) as verify:
        changed = [f"{token[:at]}{'A' if token[at] != 'A' else 'B'}{token[at + 1 :]}" for at in range(len(token))]
        assert [each for each in changed if await verify(each) is not None] == []


async def test_no_vector_of_wycheproof_has_another_verdict(server: AuthorizationServer) -> None:
    wrong, number = {}, 0
    for group in WYCHEPROOF:
        async with verifying(server, [group.get("public") or group["private"]]) as verify:
            for each in group["tests"]:
                number += 1
                text = each["jws"] if isinstance(each["jws"], str) else json.dumps(each["jws"])
                if (await verify(text) is not None) != (each["result"] == "valid"):
                    wrong[each["tcId"]] = each["result"]
    assert number >= 401
    assert wrong == dict.fromkeys(EXCEPTIONS, "valid")
