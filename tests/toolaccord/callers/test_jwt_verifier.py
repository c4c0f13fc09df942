"""Tokens of an authorization server: which of them name a caller."""

import base64
import hashlib
import hmac
import json
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

from tests.toolaccord.callers.authorization_server import RESOURCE, AuthorizationServer, serving
from toolaccord.callers.jwt_verifier import JwtVerifier
from toolaccord.callers.rules import JwtRules
from toolaccord.testing import ManualClock

Attack = Callable[[AuthorizationServer, float], str]


@pytest.fixture(scope="module")
def server() -> Iterator[AuthorizationServer]:
    with serving() as server:
        server.keys |= {
            "curve": ec.generate_private_key(ec.SECP256R1()),
            "edwards": ed25519.Ed25519PrivateKey.generate(),
        }
        yield server


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
async def verifier(server: AuthorizationServer, clock: ManualClock) -> AsyncIterator[JwtVerifier]:
    rules = JwtRules(issuer=server.issuer, audience=RESOURCE, keys_url=server.keys_url)
    verifier = JwtVerifier(rules, clock)
    yield verifier
    await verifier.close()


def edited(token: str, *, header: Any = None, claims: Any = None, signature: str | None = None) -> str:
    """Return a token with other parts."""
    parts = token.split(".")
    for index, part in enumerate((header, claims)):
        if part is not None:
            text = part if isinstance(part, bytes) else json.dumps(part).encode()
            parts[index] = base64.urlsafe_b64encode(text).rstrip(b"=").decode()
    return ".".join([*parts[:2], parts[2] if signature is None else signature])


def _hmac_with_public_key(server: AuthorizationServer, now: float) -> str:
    pem = (
        server.keys["one"]
        .public_key()
        .public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    )
    head = {"alg": "HS256", "typ": "at+jwt", "kid": "one"}
    unsigned = edited("a.b.c", header=head, claims=server.claims(now)).rpartition(".")[0]
    digest = hmac.new(pem, unsigned.encode(), hashlib.sha256).digest()
    return f"{unsigned}.{base64.urlsafe_b64encode(digest).rstrip(b'=').decode()}"


def of_claims(**claims: Any) -> Attack:
    return lambda server, now: server.sign(server.claims(now, **claims))


def of_header(**header: Any) -> Attack:
    return lambda server, now: server.sign(server.claims(now), **header)


def _foreign(server: AuthorizationServer, now: float) -> str:
    key = rsa.generate_private_key(65537, 2048)
    return jwt.encode(server.claims(now), key, algorithm="RS256", headers={"kid": "one", "typ": "at+jwt"})


def _embedded_key(server: AuthorizationServer, now: float) -> str:
    key = rsa.generate_private_key(65537, 2048)
    jwk = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(key.public_key()))
    return jwt.encode(server.claims(now), key, algorithm="RS256", headers={"jwk": jwk, "kid": "one"})


ATTACKS: dict[str, Attack] = {
    "another audience": of_claims(aud="https://other.example/mcp"),
    "audience with a slash": of_claims(aud=f"{RESOURCE}/"),
    "audience is a prefix": of_claims(aud="https://desk.example"),
    "audience list without it": of_claims(aud=["a", "b"]),
    "audience is an object": of_claims(aud={"0": RESOURCE}),
    "audience is a number": of_claims(aud=1),
    "no audience": of_claims(aud=None),
    "empty audience": of_claims(aud=[]),
    "another issuer": of_claims(iss="https://evil.example"),
    "issuer as an array": lambda server, now: server.sign(server.claims(now, iss=None) | {"aud": RESOURCE, "iss2": [server.issuer]}),
    "no issuer": of_claims(iss=None),
    "no end": of_claims(exp=None),
    "over": lambda server, now: server.sign(server.claims(now, exp=now - 31)),
    "end is a text": lambda server, now: edited(server.sign(server.claims(now)), claims=server.claims(now, exp="never")),
    "not yet": lambda server, now: server.sign(server.claims(now, nbf=now + 3600)),
    "not before a text": of_claims(nbf="soon"),
    "nobody": of_claims(sub=None, client_id=None),
    "empty names": of_claims(sub="", client_id=""),
    "names are numbers": of_claims(sub=None, client_id=7),
    "an ID token by its nonce": of_claims(nonce="n"),
    "an ID token by its hash": of_claims(at_hash="h"),
    "a code's hash": of_claims(c_hash="h"),
    "type of an ID token": of_header(typ="id_token+jwt"),
    "type of a logout": of_header(typ="logout+jwt"),
    "type is dpop": of_header(typ="dpop+jwt"),
    "unknown key": of_header(kid="two"),
    "a foreign key without an id": lambda server, now: jwt.encode(server.claims(now), rsa.generate_private_key(65537, 2048), "RS256"),
    "key id is null": lambda server, now: edited(server.sign(server.claims(now)), header={"alg": "RS256", "kid": None}),
    "crit": of_header(crit=["exp"], exp=1),
    "jku": of_header(jku="https://evil.example/keys"),
    "x5u": of_header(x5u="https://evil.example/cert"),
    "b64": lambda server, now: edited(server.sign(server.claims(now)), header={"alg": "RS256", "kid": "one", "b64": False}),
    "foreign key": _foreign,
    "key in the header": _embedded_key,
    "another algorithm of the key": lambda server, now: server.sign(server.claims(now), algorithm="RS512"),
    "PSS instead of PKCS": lambda server, now: server.sign(server.claims(now), algorithm="PS256"),
    "key of another type": lambda server, now: server.sign(server.claims(now), key="curve", algorithm="ES256", kid="one"),
    "HMAC with the public key": _hmac_with_public_key,
    "no algorithm": lambda server, now: edited(server.sign(server.claims(now)), header={"alg": "none", "kid": "one"}, signature=""),
    "None as an algorithm": lambda server, now: edited(server.sign(server.claims(now)), header={"alg": "None", "kid": "one"}, signature=""),
    "algorithm is a list": lambda server, now: edited(server.sign(server.claims(now)), header={"alg": ["RS256"], "kid": "one"}),
    "no algorithm member": lambda server, now: edited(server.sign(server.claims(now)), header={"kid": "one"}),
    "edited claims": lambda server, now: edited(server.sign(server.claims(now)), claims=server.claims(now, sub="eve")),
    "edited header": lambda server, now: edited(server.sign(server.claims(now)), header={"alg": "RS256", "kid": "one", "typ": "JWT"}),
    "cut signature": lambda server, now: server.sign(server.claims(now))[:-4],
    "empty signature": lambda server, now: edited(server.sign(server.claims(now)), signature=""),
    "signature of zeros": lambda server, now: edited(server.sign(server.claims(now)), signature="A" * 342),
    "padding": lambda server, now: server.sign(server.claims(now)) + "==",
    "unused bits of the signature": lambda server, now: (token := server.sign(server.claims(now)))[:-1] + chr(ord(token[-1]) + 1),
    "white space inside": lambda server, now: server.sign(server.claims(now)).replace(".", " .", 1),
    "a line break": lambda server, now: server.sign(server.claims(now)).replace(".", "\n.", 1),
    "four parts": lambda server, now: server.sign(server.claims(now)) + ".a",
    "five parts": lambda _server, _now: "a.b.c.d.e",
    "two parts": lambda server, now: server.sign(server.claims(now)).rpartition(".")[0],
    "dots": lambda _server, _now: "..",
    "claims are a list": lambda server, now: edited(server.sign(server.claims(now)), claims=[1]),
    "claims are no JSON": lambda server, now: edited(server.sign(server.claims(now)), claims=b"{"),
    "header is a list": lambda server, now: edited(server.sign(server.claims(now)), header=[]),
    "header is no JSON": lambda server, now: edited(server.sign(server.claims(now)), header=b"\xff"),
    "key id is a list": lambda server, now: edited(server.sign(server.claims(now)), header={"alg": "RS256", "kid": ["one"]}),
    "key id is a path": of_header(kid="../../dev/null"),
    "JSON form": lambda server, now: json.dumps({"payload": server.sign(server.claims(now)).split(".")[1]}),
    "a lone surrogate": lambda _server, _now: "\udcff.a.b",
    "an unlike letter": lambda server, now: server.sign(server.claims(now)).replace(".", "\uff0e"),
}  # fmt: skip


def test_there_are_sixty_attacks() -> None:
    assert len(ATTACKS) >= 60


@pytest.mark.parametrize("what", list(ATTACKS))
async def test_an_attack_gives_no_access(
    verifier: JwtVerifier, server: AuthorizationServer, clock: ManualClock, what: str
) -> None:
    assert await verifier.verify(ATTACKS[what](server, clock.now().timestamp())) is None


@pytest.mark.parametrize(
    "key, algorithm", [("one", "RS256"), ("curve", "ES256"), ("edwards", "EdDSA")], ids=["RSA", "EC", "Ed25519"]
)
async def test_a_token_names_its_caller(
    verifier: JwtVerifier, server: AuthorizationServer, clock: ManualClock, key: str, algorithm: str
) -> None:
    claims = server.claims(clock.now().timestamp(), scope="decisions:read decisions:write", roles=["trader"])
    caller = await verifier.verify(server.sign(claims, key=key, algorithm=algorithm))
    assert caller is not None
    assert (caller.issuer, caller.subject, caller.client) == (server.issuer, "ada", "desktop")
    assert caller.scopes == {"decisions:read", "decisions:write"}
    assert caller.claims["roles"] == ["trader"]
    assert isinstance(hash(caller), int)


@pytest.mark.parametrize("algorithm", ["EdDSA", "Ed25519"])
async def test_both_names_of_an_edwards_curve_are_read(
    verifier: JwtVerifier, server: AuthorizationServer, clock: ManualClock, algorithm: str
) -> None:
    unsigned = edited(
        "a.b.", header={"alg": algorithm, "kid": "edwards"}, claims=server.claims(clock.now().timestamp())
    )
    signature = server.keys["edwards"].sign(unsigned.rstrip(".").encode())
    token = f"{unsigned}{base64.urlsafe_b64encode(signature).rstrip(b'=').decode()}"
    assert await verifier.verify(token) is not None


async def test_a_token_without_an_id_is_compared_with_the_keys_of_its_algorithm(
    server: AuthorizationServer, verifier: JwtVerifier, clock: ManualClock
) -> None:
    server.keys["second"] = rsa.generate_private_key(65537, 2048)
    claims = server.claims(clock.now().timestamp())
    assert await verifier.verify(server.sign(claims, key="second", kid=None)) is not None
    server.keys["second"] = rsa.generate_private_key(65537, 2048)
    assert await verifier.verify(server.sign(claims, key="second", kid=None)) is None
    clock.advance(30)  # then the keys are fetched again
    assert await verifier.verify(server.sign(claims, key="second", kid=None)) is not None
    del server.keys["second"]


@pytest.mark.parametrize(
    "claims", [{"aud": [RESOURCE, "other"]}, {"nbf": 0}, {"scope": None, "scp": ["a"]}, {"sub": None, "azp": "x"}]
)
async def test_forms_that_servers_choose_are_read(
    verifier: JwtVerifier, server: AuthorizationServer, clock: ManualClock, claims: dict[str, Any]
) -> None:
    assert await verifier.verify(server.sign(server.claims(clock.now().timestamp(), **claims))) is not None


async def test_two_tokens_of_one_caller_have_one_identity(
    verifier: JwtVerifier, server: AuthorizationServer, clock: ManualClock
) -> None:
    now = clock.now().timestamp()
    tokens = [server.sign(server.claims(now, **each)) for each in ({"jti": "a"}, {"jti": "b"}, {"sub": "bob"})]
    callers = [await verifier.verify(token) for token in tokens]
    first, second, other = [caller.identity for caller in callers if caller]
    assert first == second != other


async def test_a_verified_token_ends_when_its_time_is_over(
    verifier: JwtVerifier, server: AuthorizationServer, clock: ManualClock
) -> None:
    token = server.sign(server.claims(clock.now().timestamp(), exp=clock.now().timestamp() + 60))
    assert await verifier.verify(token) is not None
    clock.advance(89)
    assert await verifier.verify(token) is not None
    clock.advance(1)
    assert await verifier.verify(token) is None


async def test_a_token_of_a_withdrawn_key_ends_before_its_time(
    server: AuthorizationServer, clock: ManualClock, verifier: JwtVerifier
) -> None:
    server.keys["leaked"] = ec.generate_private_key(ec.SECP256R1())
    claims = server.claims(clock.now().timestamp(), exp=clock.now().timestamp() + 86_400)
    token = server.sign(claims, key="leaked", algorithm="ES256")
    assert await verifier.verify(token) is not None
    del server.keys["leaked"]
    clock.advance(300)
    assert await verifier.verify(server.sign(claims, kid="unknown")) is None  # so the keys are fetched again
    assert await verifier.verify(token) is None
