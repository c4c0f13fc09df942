"""Attacks with hostile texts in the arguments of every tool."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx2
from jsonschema import Draft202012Validator

from sandbox import ACCOUNT, backtester, candles
from sandbox.iss import serve as serve_exchange
from tests.attack.bodies import declared_codes
from tests.attack.channels import CallAnswer
from tests.attack.lab import TOKEN, HttpServer, Lab
from tests.attack.records import Attack, Tally
from tests.contracts.reading import contracts, mcp_tools
from tests.servers.backends import SAVE, connect_database
from tests.servers.harness import first_result_example
from tests.services import influxd
from tests.services.served import LISTENING

_FORGED = "forged by an attacker"
_TEXTS = (
    "'", "''", '"', "\\", "\\'", "`", ";", "--", "/*", "%", "_", "$1", "$$", "%s", "%(x)s", "{0}", "{{7*7}}", "${jndi:ldap://x}",
    "' OR '1'='1", "'; DROP TABLE agent_decisions; --", "1; DELETE FROM strategies", "'||pg_sleep(9)||'",
    "'; COPY (SELECT 1) TO 'MARKER'; --", "') UNION SELECT usename, passwd FROM pg_shadow --", "E'\\x27'",
    "ETH/USD' OR time > 0 --", "ETH/USD'; DROP DATABASE \"candles\"; --", "ETH/USD' INTO \"stolen\" --", "/.*/",
    '") |> yield() //', '"\nimport "http"\nhttp.post(url: "http://127.0.0.1:9")', '${http.get(url: "x")}', '") |> to(bucket: "x") //',
    "../../../etc/passwd", "..\\..\\boot.ini", "/etc/passwd", "file:///etc/passwd", "SBER/../../x?y=1#z", "SBER%2f..%2fx", "a/b?c=d&e",
    "x\r\nSet-Cookie: a=b", "x\r\n\r\nHTTP/1.1 200 OK\r\n", "x\nX-Injected: 1", f'x\n{{"message": "{_FORGED}", "level": "ERROR"}}',
    f'", "message": "{_FORGED}', "\x1b[2J\x1b[31mred", "\x08\x08\x7f", "\x00", "x\x00y", "\u2028\u2029\u0085", "\u202egpj.exe", "\ufeffx",
    "\ud800", "\U0001f680", "e\u0301", "\uff07 OR 1=1", "<script>alert(1)</script>", "__class__", "{}", "[]", "null", "NaN", "-1", "1e999",
    "'" * 1000, "A" * 10_001,
)  # fmt: skip
_LIST_TABLES = "SELECT relname FROM pg_stat_user_tables WHERE schemaname = 'public' ORDER BY 1"
_WRITTEN = {"agent_decisions", "strategy_specs"}
"""Tables that the attacked tools write."""
_LOG_KEYS = {"timestamp", "level", "logger", "message"}


def _attack(lab: Lab, tally: Tally) -> None:
    before = asyncio.run(_read_database(lab.database))
    marker = lab.folder / "marker"
    saved: list[str] = []
    with ExitStack() as stack:
        settings = {
            "DATABASE_URL": lab.database,
            "PORTFOLIO_ACCOUNT_ID": ACCOUNT,
            "INFLUXDB_URL": stack.enter_context(candles.serve()),
            "BACKTESTER_TARGET": stack.enter_context(backtester.serve()),
            "MOEX_ISS_BASE_URL": stack.enter_context(serve_exchange()),
        }
        for module in contracts():
            with lab.server(module, tally, settings) as server:
                saved += _send_all(lab, tally, server, module, marker)
                _check_log(tally, server, module)
    after = asyncio.run(_read_database(lab.database))
    tally.check(before == after, f"tables changed: {before} {after}")
    tally.check(not marker.exists(), "the database wrote a file")
    stored = asyncio.run(_read_reasonings(lab.database))
    for text in saved:
        tally.check(text in stored, f"stored otherwise: {text!r}")


def _attack_influxdb(lab: Lab, tally: Tally) -> None:
    module, home = "tradestream.market_data", lab.new_folder()
    with influxd.running(lab.program("influxdb"), home) as store:
        influxd.command(store.url, "CREATE DATABASE candles")
        influxd.write_lines(store.url, "candles", ["candles,currency_pair=ETH/USD close=1 1000"])
        with lab.server(module, tally, {"INFLUXDB_URL": store.url, "INFLUXDB_BUCKET": "candles"}) as server:
            _send_all(lab, tally, server, module, home / "marker")
            _check_log(tally, server, module)
        found = httpx2.get(
            f"{store.url}/query", params={"q": "SHOW DATABASES; SHOW MEASUREMENTS ON candles"}, trust_env=False
        )
        names = [
            value for result in found.json()["results"] for series in result["series"] for (value,) in series["values"]
        ]
        tally.check(names == ["candles", "candles"], f"databases and measurements: {names}")


def _send_all(lab: Lab, tally: Tally, server: HttpServer, module: str, marker: Path) -> list[str]:
    """Send every text in every argument; return the reasonings that the server saved."""
    saved = []
    texts = [text.replace("MARKER", str(marker)) for text in _TEXTS][: lab.count(len(_TEXTS))]
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    with httpx2.Client(base_url=server.url, headers=headers, timeout=60, trust_env=False) as client:
        for tool in mcp_tools(module):
            validator = Draft202012Validator(tool["returns"])
            for text in texts:
                for arguments in _place(tool, text):
                    response = client.post(f"/mcp/tools/{tool['name']}", content=json.dumps(arguments))
                    answer = CallAnswer(response.status_code, response.json())
                    is_kept = _is_right(module, tool["name"], answer, validator)
                    tally.check(is_kept, f"{tool['name']} {arguments}: {response.text[:200]}")
                    if tool["name"] == SAVE and answer.code is None:
                        saved.append(arguments["reasoning"])
        for text in texts:
            _send_in_headers(tally, client, text)
    return saved


def _place(tool: Mapping[str, Any], text: str) -> Iterator[dict[str, Any]]:
    """Yield arguments with *text* for each value, after each text, and in absent arguments."""
    arguments = dict(first_result_example(dict(tool))["arguments"])
    yield from _replace_each(arguments, text)
    for name in tool["parameters"].get("properties", {}):
        if name not in arguments:
            yield arguments | {name: text}
    yield arguments | {text: 1}


def _replace_each(value: Any, text: str) -> Iterator[Any]:
    """Yield copies of *value* in which one value is *text*, or ends in it."""
    if isinstance(value, dict | list):
        for key, member in list(value.items() if isinstance(value, dict) else enumerate(value)):
            for other in _replace_each(member, text):
                copy = value.copy()
                copy[key] = other
                yield copy
        return
    yield text
    if isinstance(value, str):
        yield value + text


def _is_right(module: str, name: str, answer: CallAnswer, validator: Draft202012Validator) -> bool:
    """Return True for a declared error, and for a result that fulfils the contract."""
    if answer.code is not None:
        return answer.code in declared_codes(module, name)
    message = answer.message
    return answer.status == 200 and validator.is_valid(message["data"] if "_metadata" in message else message)


def _send_in_headers(tally: Tally, client: httpx2.Client, text: str) -> None:
    """Send *text* in the headers that the server reads or logs; it must not come back in one."""
    value = re.sub(rb"[\x00-\x08\x0a-\x1f\x7f]", b" ", text.encode("utf-8", "replace"))[:4000]
    names = (b"X-Correlation-ID", b"traceparent", b"Idempotency-Key", b"User-Agent")
    fields = [(name, b"x " + value + b" x") for name in names]
    response = client.get("/nowhere", headers=fields)
    corr_id = response.headers.get("x-correlation-id", "")
    tally.check(
        response.status_code == 404 and re.fullmatch(r"[\w-]+", corr_id), f"header {value!r}: {response.headers}"
    )


def _check_log(tally: Tally, server: HttpServer, module: str) -> None:
    """Check that each line of the log is one record of the server's own."""
    for line in server.log_lines():
        if not line or LISTENING.search(f"{line}\n".encode()):
            continue
        try:
            record = json.loads(line)
        except ValueError:
            record = {}
        is_own = record.keys() >= _LOG_KEYS and _FORGED not in record["message"] and line.isprintable()
        tally.check(is_own, f"{module} logged {line[:200]!r}")


async def _read_database(url: str) -> dict[str, int | None]:
    """Return the number of rows of each table; None for those that the attacked tools write."""
    async with connect_database(url) as connection:
        names = [row["relname"] for row in await connection.fetch(_LIST_TABLES)]
        return {
            name: None if name in _WRITTEN else await connection.fetchval(f'SELECT count(*) FROM "{name}"')
            for name in names
        }


async def _read_reasonings(url: str) -> set[str]:
    async with connect_database(url) as connection:
        return {row["reasoning"] for row in await connection.fetch("SELECT reasoning FROM agent_decisions")}


_PROMISE = "Each text in each argument gets a declared error or a right answer. Nothing runs it, and each line of the log is one record"
ATTACKS = (
    Attack("hostile texts", f"{_PROMISE}; texts are stored unchanged.", _attack),
    Attack("hostile texts to InfluxDB", f"{_PROMISE}; databases stay as they were.", _attack_influxdb),
)
