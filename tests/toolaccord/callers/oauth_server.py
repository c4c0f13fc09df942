"""An authorization server of OAuth 2.1: its protocol is Authlib's, its memory is here.

It has metadata (RFC 8414) with `iss` (RFC 9207), open registration (RFC 7591), codes with PKCE (RFC 7636), resources
(RFC 8707), refresh tokens that are replaced, and client credentials.
"""

from __future__ import annotations

import json
import secrets
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from authlib.oauth2 import AuthorizationServer as Protocol
from authlib.oauth2 import OAuth2Error, OAuth2Request, rfc7591, rfc7636, rfc9207
from authlib.oauth2.rfc6749 import InvalidRequestError, JsonPayload, JsonRequest, grants
from authlib.oauth2.rfc6749.requests import BasicOAuth2Payload
from authlib.oauth2.rfc6750 import BearerTokenGenerator

from tests.toolaccord.callers.authorization_server import Answer, AuthorizationServer, Received

USER = "ada"
METHODS = ["none", "client_secret_basic", "client_secret_post"]


@dataclass(slots=True)
class Client:
    """A program that asks for tokens."""

    client_id: str
    secret: str = ""
    scopes: str = ""
    """The scopes that it may have."""
    redirect_uris: tuple[str, ...] = ()
    grant_types: tuple[str, ...] = ("client_credentials",)
    method: str = "client_secret_basic"

    def get_client_id(self) -> str:
        return self.client_id

    def get_default_redirect_uri(self) -> str:
        return self.redirect_uris[0]

    def get_allowed_scope(self, scope: str | None) -> str | None:
        """Return *scope*; None, which is an error, if it is too much."""
        return scope or "" if {*(scope or "").split()} <= {*self.scopes.split()} else None

    def check_redirect_uri(self, uri: str) -> bool:
        return uri in self.redirect_uris

    def check_client_secret(self, secret: str) -> bool:
        return secrets.compare_digest(secret, self.secret)

    def check_endpoint_auth_method(self, method: str, _endpoint: str) -> bool:
        return method == self.method

    def check_response_type(self, kind: str) -> bool:
        return kind == "code" and bool(self.redirect_uris)

    def check_grant_type(self, kind: str) -> bool:
        return kind in self.grant_types


@dataclass(slots=True)
class Grant:
    """The rights that a code or a refresh token gives."""

    client_id: str
    scope: str
    resource: str
    redirect_uri: str = ""
    code_challenge: str = ""
    code_challenge_method: str = "S256"
    is_used: bool = False

    def get_scope(self) -> str:
        return self.scope

    def get_redirect_uri(self) -> str:
        return self.redirect_uri

    def check_client(self, client: Client) -> bool:
        return client.client_id == self.client_id


@dataclass(slots=True)
class OAuthServer(AuthorizationServer):
    """The state of the server, which tests change."""

    resources: set[str] = field(default_factory=set)
    """The servers for which it makes tokens."""
    scopes: str = ""
    """All scopes."""
    clients: dict[str, Client] = field(default_factory=dict)
    codes: dict[str, Grant] = field(default_factory=dict)
    refresh_tokens: dict[str, Grant] = field(default_factory=dict)
    asked: list[dict[str, str]] = field(default_factory=list)
    """The forms that came for tokens, in order."""
    paths: Counter[str] = field(default_factory=Counter)
    replaced: dict[str, Any] = field(default_factory=dict)
    """Members of the metadata that are others."""
    claims_of_tokens: dict[str, Any] = field(default_factory=dict)
    """Claims of the next tokens that are others; None for none."""
    key: str = "one"
    failure: int = 0
    """The status of each answer to a request for a token; 0 for the right ones."""
    iss: str | None = None
    """The issuer in answers to a browser, if it is another."""

    def answer(self, request: Received) -> Answer:
        """Return the answer to a request."""
        path = urlsplit(request.target).path
        self.paths[path] += 1
        if path == "/keys":
            return AuthorizationServer.answer(self, request)
        if path == "/.well-known/oauth-authorization-server":
            return Answer(200, json.dumps(self.metadata()).encode(), {"Content-Type": "application/json"})
        if path not in {"/authorize", "/token", "/register"}:
            return Answer(404, b"nothing is here")
        if path == "/token" and self.failure:
            return Answer(self.failure, b"<h1>Sorry</h1>")
        return _Exchange(self, request).answer(path)

    def metadata(self) -> dict[str, Any]:
        """Return the metadata."""
        usual = {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "registration_endpoint": f"{self.issuer}/register",
            "jwks_uri": self.keys_url,
            "scopes_supported": self.scopes.split(),
            "response_types_supported": ["code"],
            "grant_types_supported": ["authorization_code", "client_credentials", "refresh_token"],
            "token_endpoint_auth_methods_supported": METHODS,
            "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": True,
        }
        return usual | self.replaced


class _Form(OAuth2Request):  # type: ignore[misc]
    """A request as Authlib reads it. It came over loopback, so it counts as secret."""

    def __init__(self, received: Received) -> None:
        parts = urlsplit(received.target)
        super().__init__(received.method, f"https://{received.headers['Host']}{received.target}")
        self.headers = received.headers
        self.parameters = dict(parse_qsl(parts.query) + parse_qsl(received.body.decode()))
        self.payload = BasicOAuth2Payload(self.parameters)

    @property
    def args(self) -> dict[str, str]:
        return self.parameters

    @property
    def form(self) -> dict[str, str]:
        return self.parameters


class _InvalidTarget(OAuth2Error):  # type: ignore[misc]
    error = "invalid_target"


class _Exchange(Protocol):  # type: ignore[misc]
    """One request, and its answer."""

    def __init__(self, state: OAuthServer, received: Received) -> None:
        super().__init__(state.scopes.split())
        self.state = state
        self.received = received
        self.resource = ""
        self.register_grant(_CodeGrant, [_S256()])
        self.register_grant(_RefreshGrant)
        self.register_grant(_CredentialsGrant)
        self.register_endpoint(_Registration)
        self.register_extension(_Issuer(state.iss or state.issuer))
        self.register_token_generator("default", BearerTokenGenerator(self._sign, self._refresh, 600))

    def answer(self, path: str) -> Answer:
        if path == "/register":
            found = self.create_endpoint_response("client_registration", self.received)
        else:
            form = _Form(self.received)
            self.resource = form.parameters.get("resource", "")
            if path == "/token":
                self.state.asked.append(form.parameters)
                found = self.create_token_response(form)
            else:
                found = self._authorize(form)
        assert isinstance(found, Answer)
        return found

    def _authorize(self, form: _Form) -> Any:
        """Return the redirect of a user who agrees to everything at once."""
        try:
            grant = self.get_consent_grant(form, USER)
        except OAuth2Error as error:
            return self.handle_error_response(form, error)
        return self.create_authorization_response(form, USER, grant)

    def check_resource(self) -> None:
        """Raise an error for a server that is unknown."""
        if self.resource not in self.state.resources:
            raise _InvalidTarget(f"no tokens are made for {self.resource or 'no server'}")

    def query_client(self, client_id: str) -> Client | None:
        return self.state.clients.get(client_id)

    def save_token(self, token: dict[str, Any], request: _Form) -> None:
        """Keep nothing: tokens are verified by their signatures."""

    def create_oauth2_request(self, request: _Form) -> _Form:
        return request

    def create_json_request(self, request: Received) -> JsonRequest:
        found = JsonRequest("POST", f"https://{request.headers['Host']}{request.target}", request.headers)
        found.payload = _Json(json.loads(request.body))
        return found

    def handle_response(self, status: int, body: Any, headers: Any) -> Answer:
        text = body if isinstance(body, str) else json.dumps(body)
        return Answer(status, text.encode(), dict(headers))

    def send_signal(self, *_: Any, **__: Any) -> None:
        """Tell nobody."""

    def _sign(self, client: Client, user: str | None, scope: str, **_: Any) -> str:
        own = {"sub": user or client.client_id, "client_id": client.client_id, "aud": self.resource, "scope": scope}
        claims = self.state.claims(time.time(), **(own | self.state.claims_of_tokens))
        return self.state.sign(claims, key=self.state.key)

    def _refresh(self, client: Client, scope: str, **_: Any) -> str:
        token = secrets.token_urlsafe()
        self.state.refresh_tokens[token] = Grant(client.client_id, scope, self.resource)
        return token


class _Json(JsonPayload):  # type: ignore[misc]
    def __init__(self, content: dict[str, Any]) -> None:
        self._content = content

    @property
    def data(self) -> dict[str, Any]:
        return self._content


class _S256(rfc7636.CodeChallenge):  # type: ignore[misc]
    SUPPORTED_CODE_CHALLENGE_METHOD = ("S256",)

    def validate_code_challenge(self, grant: Any, redirect_uri: str) -> None:
        """Demand a challenge, as OAuth 2.1 does."""
        if "code_challenge" not in grant.request.payload.data:
            raise InvalidRequestError("code_challenge is missing")
        super().validate_code_challenge(grant, redirect_uri)


class _Issuer(rfc9207.IssuerParameter):  # type: ignore[misc]
    def __init__(self, issuer: str) -> None:
        self._issuer = issuer

    def get_issuer(self) -> str:
        return self._issuer


class _CodeGrant(grants.AuthorizationCodeGrant):  # type: ignore[misc]
    TOKEN_ENDPOINT_AUTH_METHODS = METHODS

    def validate_authorization_request(self) -> Any:
        self.server.check_resource()
        return super().validate_authorization_request()

    def save_authorization_code(self, code: str, request: _Form) -> None:
        sent = request.parameters
        self.server.state.codes[code] = Grant(
            sent["client_id"], request.scope, self.server.resource, sent["redirect_uri"], sent["code_challenge"]
        )

    def query_authorization_code(self, code: str, client: Client) -> Grant | None:
        found: Grant | None = self.server.state.codes.get(code)
        is_good = found and found.check_client(client) and found.resource == self.server.resource
        return found if is_good else None

    def delete_authorization_code(self, code: Grant) -> None:
        codes = self.server.state.codes
        del codes[next(text for text, each in codes.items() if each is code)]

    def authenticate_user(self, _code: Grant) -> str:
        return USER


class _RefreshGrant(grants.RefreshTokenGrant):  # type: ignore[misc]
    TOKEN_ENDPOINT_AUTH_METHODS = METHODS
    INCLUDE_NEW_REFRESH_TOKEN = True

    def authenticate_refresh_token(self, token: str) -> Grant | None:
        found: Grant | None = self.server.state.refresh_tokens.get(token)
        if found and found.is_used:  # somebody stole it
            self.server.state.refresh_tokens.clear()
        return found if found and not found.is_used and found.resource == self.server.resource else None

    def authenticate_user(self, _token: Grant) -> str:
        return USER

    def revoke_old_credential(self, token: Grant) -> None:
        token.is_used = True


class _CredentialsGrant(grants.ClientCredentialsGrant):  # type: ignore[misc]
    TOKEN_ENDPOINT_AUTH_METHODS = METHODS

    def validate_token_request(self) -> None:
        super().validate_token_request()
        self.server.check_resource()


class _Registration(rfc7591.ClientRegistrationEndpoint):  # type: ignore[misc]
    def get_server_metadata(self) -> dict[str, Any]:
        found: dict[str, Any] = self.server.state.metadata()
        return found

    def authenticate_token(self, _request: JsonRequest) -> str:
        return "everybody"

    def save_client(self, info: dict[str, Any], metadata: dict[str, Any], _request: JsonRequest) -> Client:
        client = Client(
            info["client_id"],
            info["client_secret"],
            self.server.state.scopes,
            tuple(metadata["redirect_uris"]),
            tuple(metadata["grant_types"]),
            metadata["token_endpoint_auth_method"],
        )
        self.server.state.clients[client.client_id] = client
        return client
