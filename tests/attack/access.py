"""Attacks on the checks of token, Host and Origin."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tests.attack.lab import TOKEN, HttpServer, Lab
from tests.attack.raw_http import exchange_all, parse_responses, request
from tests.attack.records import Attack, Tally

_MODULE = "tradestream.market_data"
_HEALTH = b'{"status":"ok"}'
_ROUTES = (
    "/mcp", "/mcp/tools/list", "/mcp/tools/call", "/mcp/tools/get_candles", "/health", "/ready", "/metrics",
    "/openapi.json", "/docs", "/docs/viewer.js", "/nowhere", "/",
)  # fmt: skip
_METHODS = (
    "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "PROPFIND", "get", "QUERY",
)  # fmt: skip
_FORMS = (
    "{}", "{}/", "{}//", "/{}", "//{}", "/.{}", "/x/..{}", "/health/..{}", "/health/../..{}", "/health%2f..{}",
    "/health/%2e%2e{}", "/health/..%2f..{}", "/health;{}", "/health?{}", "/health%3f{}", "/health%23{}", "/health%00{}",
    "/health#{}", "{};x", "{}.", "{}%20", "{}%00", "{}%0d%0a", "{}?open=/health", "{}#/health", "{}?access_token=TOKEN",
    "http://localhost{}", "http://localhost/health/..{}", "HTTP://LOCALHOST{}", "http://evil.example{}", "*{}", "{}\\",
    "\\{}", "{}/health", "{}/../health", "{}%2f..%2fhealth", "{}/%252e%252e/health", "\u00c0\u00af{}", "{}\t", "health{}",
)  # fmt: skip
"""Forms of a path without its encoded ones."""
_CREDENTIALS: Sequence[dict[str, str]] = (
    {"Authorization": ""},
    {"Authorization": "Bearer"},
    {"Authorization": "Bearer  "},
    {"Authorization": "Bearer ,"},
    {"Authorization": "Bearer null"},
    {"Authorization": f"Basic {TOKEN}"},
    {"Authorization": TOKEN},
    {"Authorization": f"Bearer{TOKEN}"},
    {"Authorization": f"Bearer {TOKEN}x"},
    {"Authorization": f"Bearer {TOKEN[:-1]}"},
    {"Authorization": f"Bearer {TOKEN.upper()}"},
    {"Authorization": f"Bearer {TOKEN} {TOKEN}"},
    {"Authorization": f"Bearer {TOKEN},{TOKEN}"},
    {"Authorization": f"Bearer wrong\r\nAuthorization: Bearer {TOKEN}"},
    {"Authorization": f"Bearer {TOKEN}\r\nAuthorization: Bearer wrong"},
    {"Authorization": "", "Proxy-Authorization": f"Bearer {TOKEN}"},
    {"Authorization": "", "Cookie": f"Authorization=Bearer {TOKEN}"},
    {"Authorization": "", "X-Original-URL": "/health"},
    {"Authorization": "", "X-Rewrite-URL": "/health", "X-Forwarded-For": "127.0.0.1"},
    {"Authorization": "", "X-HTTP-Method-Override": "GET", "X-Forwarded-Prefix": "/health"},
    {"Authorization": "", "Access-Control-Request-Method": "POST", "Origin": "http://evil.example"},
)


def _encode(path: str) -> str:
    return "/" + "".join(f"%{ord(letter):02x}" for letter in path[1:])


def _attack_without_token(lab: Lab, tally: Tally) -> None:
    paths = [
        form.format(path) for form in _FORMS for route in _ROUTES for path in (route, _encode(route), route.upper())
    ]
    targets = [(method, path) for path in dict.fromkeys(paths) for method in _METHODS]
    messages = [request(method, path, Authorization="", Connection="close") for method, path in _sample(lab, targets)]
    messages += [
        request(method, route, b"{}", Connection="close", **fields)
        for fields in _CREDENTIALS
        for route in _ROUTES
        for method in ("GET", "POST")
    ]
    with lab.server(_MODULE, tally) as server:
        for message, received in zip(messages, exchange_all(server.port, messages), strict=True):
            tally.check(_exposes_nothing(received), f"{message!r}: {received!r}")


def _sample(lab: Lab, every: Sequence[tuple[str, str]]) -> Sequence[tuple[str, str]]:
    return every[:: max(1, len(every) // lab.count(len(every)))]


def _exposes_nothing(received: bytes) -> bool:
    """Return True if every response is an error or that of `/health`; `/ready` answers 503 here."""
    answers = [
        (each.status, each.body or b"x" * int(each.headers.get("content-length", "0")))
        for each in parse_responses(received)
    ]
    return all(status >= 400 or (status == 200 and len(body) == len(_HEALTH)) for status, body in answers)


_HOSTS = {
    True: (
        "localhost", "LocalHost", "localhost:PORT", "127.0.0.1", "127.0.0.1:PORT", "[::1]", "[::1]:PORT",
        "books.example.org", "books.example.org:443",
    ),
    False: (
        "evil.example", "evil.example:PORT", "localhost.evil.example", "localhost@evil.example", "evil.example@localhost",
        "127.0.0.1.evil.example", "2130706433", "0x7f000001", "127.1", "0.0.0.0", "0", "[::]", "[::ffff:127.0.0.1]",
        "localhost.", "localhost evil.example", "localhost,evil.example", "localhost/evil", "localhost#evil",
        "localhost?evil", "evil\\localhost", "books.example.org.evil.example", "xbooks.example.org", "example.org",
        "localhost\r\nHost: evil.example", "evil.example\r\nHost: localhost", "localhost\r\nHost: localhost", "%6cocalhost",
        "",
    ),
}  # fmt: skip
"""Values of Host, by whether the server answers to it."""
_ORIGINS = {
    True: ("http://localhost:PORT", "HTTP://LOCALHOST:PORT", "https://reader.example.org"),
    False: (
        "null", "https://localhost:PORT", "ftp://localhost:PORT", "localhost:PORT", "//localhost:PORT", "http://localhost",
        "http://localhost:1", "http://127.0.0.1:PORT", "http://localhost:PORT.evil.example", "http://evil.example",
        "http://evil.example:PORT", "http://user@localhost:PORT", "http://localhost:PORT/", "http://localhost:PORT/x",
        "http://reader.example.org", "https://reader.example.org:444", "https://reader.example.org/", "https://example.org",
        "https://reader.example.org.evil.example", "https://xreader.example.org", "file://", "chrome-extension://localhost:PORT",
        "http://localhost:PORT http://evil.example", "http://localhost:PORT\r\nOrigin: http://evil.example",
        "http://evil.example\r\nOrigin: http://localhost:PORT", "*",
    ),
}  # fmt: skip
"""Values of Origin in a request with `Host: localhost:PORT`, by whether its pages may call."""
_NAMES = {"MCP_ALLOWED_HOSTS": "books.example.org", "MCP_ALLOWED_ORIGINS": "https://reader.example.org"}
_METHODS_WITH_ROUTES = (("GET", "/metrics", b""), ("POST", "/mcp/tools/list", b"{}"), ("GET", "/openapi.json", b""))


def _attack_names(lab: Lab, tally: Tally) -> None:
    with lab.server(_MODULE, tally, _NAMES) as server:
        cases = [
            (is_allowed, request(method, route, body, Connection="close", **fields))
            for is_allowed, fields in _name_fields(server)
            for method, route, body in _METHODS_WITH_ROUTES
        ]
        answers = exchange_all(server.port, [message for _, message in cases])
        for (is_allowed, message), received in zip(cases, answers, strict=True):
            statuses = [each.status for each in parse_responses(received)]
            kept = statuses == [200] if is_allowed else all(status in {400, 403, 421} for status in statuses)
            tally.check(kept, f"{message!r}: {statuses}")


def _name_fields(server: HttpServer) -> Iterator[tuple[bool, dict[str, str]]]:
    port = str(server.port)
    for is_allowed, hosts in _HOSTS.items():
        yield from ((is_allowed, {"Host": host.replace("PORT", port)}) for host in hosts)
    for is_allowed, origins in _ORIGINS.items():
        for origin in origins:
            yield is_allowed, {"Host": f"localhost:{port}", "Origin": origin.replace("PORT", port)}


ATTACKS = (
    Attack(
        "paths and methods without a token",
        "Without a valid token only `/health` and `/ready` answer.",
        _attack_without_token,
    ),
    Attack(
        "Host and Origin",
        "Only the server's own and the configured names are answered, an Origin only with its scheme, host and port.",
        _attack_names,
    ),
)
