"""The section on the method in docs/benchmarks.md."""

from __future__ import annotations

from benchmarks.clients.messages import Era
from benchmarks.rounds import CALLERS, WINDOW

METHOD = f"""\
## How it is measured

**The tools.** One tool answers with five strategies (about 1.2 KB as data), another with a page of candles. Both take
their rows from memory, with UUIDs and datetimes as a driver returns them. They make their result from these on every
call. The rows are made at first use, not at the start. Two more tools are the same with a cache in toolaccord's
contract. There is no I/O, so what remains is the server's own cost. Every result goes out twice, as structured content
and as text. Before the measurement, each server's answers are parsed and compared with the rows.

**toolaccord** is compiled from [a contract](../benchmarks/servers/contracts/bench/market.json) to a temporary folder,
and started like any server. It works as by default: it validates arguments and results against their schemas, wraps
answers in the `tradestream` envelope, and counts metrics. It logs a line per call to a pipe with a reader. Handlers
return their rows as they are, and so do those of the other servers. *toolaccord, records* is the same server with
handlers that make a Pydantic record of each row; no target uses it. *toolaccord --reference* is the first of the two
without the fast path: the SDK answers everything.

**What is cached.** *Cached*: the tool has `"cache": {{"ttl_s": 3600}}` in its contract, and every call after the first
has the same arguments. The server decodes and validates these, and looks them up. The handler does not run, and the
cached result is not encoded again. The log, the metrics, and the part of the answer that marks a hit are made on every
call. *Handler*: nothing is cached. The handler runs on every call, and its result is validated, wrapped and encoded.
In both cases some parts are made once, by the compiler or at the start: the list of tools, validators, and templates of
envelopes.

**The other servers** have their fastest documented settings. Over HTTP these are `stateless_http=True` and
`json_response=True`, as [the SDK](https://github.com/modelcontextprotocol/python-sdk#streamable-http-transport) and
[FastMCP](https://gofastmcp.com/deployment/http) recommend for production, and no access log. FastMCP's telemetry,
banner and check for newer versions are off. Its rich logging and camelCase names were tried, and change no number. They
write no log on a call, and keep no metrics.

* The SDK's low-level server has schemas made by hand, and validates neither arguments nor results.
* MCPServer validates both with Pydantic.
* FastMCP validates the arguments. Its tools return plain dicts with an explicit output schema, which it serialises
  faster than typed ones. Its schemas keep their references
  ([`dereference_schemas=False`](https://gofastmcp.com/python-sdk/fastmcp-server-middleware-dereference)). That halves
  the cost of a stateless call, since the SDK lists the tools on each call to check its headers.
* *FastMCP, its cache* is FastMCP with its own `ResponseCachingMiddleware` on the cached tools. Where toolaccord answers
  from its cache, its rival is the better of the two in each round.
* The low-level server and MCPServer have no cache: their *cached* is the same as their *handler*.

Tools are coroutines, since plain functions would run in threads. All servers run in one environment, each in a process
of its own. Over HTTP all of them run on uvicorn with the same settings: httptools, the standard library's event loop,
no access log ([why](decisions/0006-http.md)).

**The client** is the same for all. One thread writes prepared bytes and reads bytes without parsing them, over pipes or
persistent HTTP/1.1 connections. It shares the machine with the server. Over pipes it
speaks {Era.HANDSHAKE.value}. Over HTTP it speaks both eras, and each is compared with the same era of the other
servers. {Era.HANDSHAKE.value} opens a connection with `initialize`; in {Era.STATELESS.value} every request carries its
client and version.

* *Sequential*: the next call leaves when the answer has arrived.
* *Pipelined*: {WINDOW} calls are outstanding at any time.
* Over HTTP {CALLERS} callers call one after the other.
* *Start*: from the start of the process, with compiled byte code, through `initialize`, to the answer of `tools/list`.
* *Memory*: the resident set two seconds after that answer.

**In turns.** All servers run at once, and idle until their turn. In each round every server is measured once, and each
round starts with the next server. A ratio compares numbers of one round. There are at least three rounds, and more if
the given time allows. Processor time is the server's own, all threads together. It is the cost of a call on an
otherwise idle machine.
"""
