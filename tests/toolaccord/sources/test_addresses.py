import pytest

from toolaccord.sources.addresses import find_address_error, is_plain

LONG = "a" * 64
NO_ENDPOINT = "must have one host and one port, as in tcp://localhost:5559 or tcp://[::1]:5559"
NO_PATH = "must hold the path of a socket, of at most 107 bytes"


@pytest.mark.parametrize(
    "kind,url",
    [
        ("postgresql", "postgresql://app@/db?host=%2Ftmp%2Fx&port=5432"),
        ("postgresql", "postgres://joe:a%40b@one:5432,[::1]:5433,three/db"),
        ("postgresql", f"postgresql://joe:{LONG}@%2Fvar%2Frun%2F{LONG}/db"),
        ("http", "https://iss.moex.com/iss"),
        ("http", "http://[::1]:8080"),
        ("http", "http://b\u00fccher.example"),
        ("redis", "redis://:hunter2@[::1]:6379/0"),
        ("redis", "rediss://joe:hunter2@redis.example?db=1"),
        ("redis", "unix:///run/redis.sock?db=1&password=hunter2"),
        ("nats", "nats://joe:hunter2@nats-1.example:4222,nats-2.example"),
        ("nats", "tls://hunter2@[::1]:4222"),
        ("zmq_pub", "tcp://localhost:5559"),
        ("zmq_pub", "tcp://[::1]:5559"),
        ("zmq_sub", "ipc:///run/guardian.sock"),
        ("zmq_sub", "ipc://@guardian"),
        ("shelf", "anything at all"),
    ],
)
def test_a_valid_address_has_no_error(kind: str, url: str) -> None:
    assert find_address_error(kind, url) is None


@pytest.mark.parametrize(
    "kind,url,expected",
    [
        ("postgresql", "postgresql://joe:hunter2@host:notaport/db", "must have a port from 0 to 65535"),
        ("postgresql", "postgresql://joe:hunter2@one:1,two:99999/db", "must have a port from 0 to 65535"),
        ("postgresql", "postgresql://joe:hunter2@[::1/db", "must be a URL"),
        ("postgresql", f"postgresql://joe:hunter2@{LONG}.example/db", "must have a valid host name"),
        ("postgresql", "mysql://joe:hunter2@host/db", "must be a URL that begins with postgresql:// or postgres://"),
        ("influxdb", "sqlite:///home/joe/candles.sqlite", "must be a URL that begins with http:// or https://"),
        ("http", "http://[::1", "must be a URL"),
        ("redis", "http://h", "must be a URL that begins with redis:// or rediss:// or unix://"),
        ("redis", "redis://:hunter2@h:notaport", "must have a port from 0 to 65535"),
        ("redis", "redis://:hunter2@h/state", "must name a database by its number"),
        ("redis", "unix://?password=hunter2", "must hold the path of a socket"),
        ("nats", "ws://hunter2@h", "must be a URL that begins with nats:// or tls://"),
        ("nats", "nats://hunter2@h:1,i:notaport", "must have a port from 0 to 65535"),
        ("nats", "nats://j:hunter2@h,j:hunter2@i", "must hold user and password once, before the first host"),
        ("zmq_pub", "inproc://guardian", "must be a URL that begins with tcp:// or ipc://"),
        ("zmq_pub", "tcp://localhost", NO_ENDPOINT),
        ("zmq_pub", "tcp://*:5559", NO_ENDPOINT),
        ("zmq_pub", "tcp://localhost:0", NO_ENDPOINT),
        ("zmq_pub", "tcp://::1:5559", NO_ENDPOINT),
        ("zmq_pub", "tcp://one:5559,two:5559", NO_ENDPOINT),
        ("zmq_pub", "tcp://127.0.0.1:1;127.0.0.1:5559", NO_ENDPOINT),
        ("zmq_pub", "tcp://joe:hunter2@localhost:5559", NO_ENDPOINT),
        ("zmq_sub", "tcp://localhost:5559/results", NO_ENDPOINT),
        ("zmq_sub", "tcp://localhost:70000", "must have a port from 0 to 65535"),
        ("zmq_sub", "ipc://guardian.sock", NO_PATH),
        ("zmq_sub", "ipc://", NO_PATH),
        ("zmq_sub", f"ipc:///{LONG}{LONG}", NO_PATH),
        ("http", "iss.moex.com", "must be a URL that begins with http:// or https://"),
    ],
)
def test_the_error_of_an_invalid_address_does_not_repeat_the_address(kind: str, url: str, expected: str) -> None:
    assert find_address_error(kind, url) == expected


@pytest.mark.parametrize(
    "kind, address, expected",
    [
        ("http", "http://news.example.org", True),
        ("http", "https://news.example.org", False),
        ("http", "http://127.0.0.1:8080", False),
        ("influxdb", "http://[::1]:8086", False),
        ("redis", "redis://:secret@cache:6379/0", True),
        ("redis", "rediss://cache:6379/0", False),
        ("redis", "unix:///run/redis.sock", False),
        ("nats", "nats://token@127.0.0.1:4222,nats-2:4222", True),
        ("nats", "tls://nats-1:4222", False),
        ("postgresql", "postgresql://u:p@db/app", True),
        ("postgresql", "postgresql://u:p@db/app?sslmode=require", False),
        ("postgresql", "postgresql:///app?host=/run/postgresql", False),
        ("postgresql", "postgresql:///app?host=db", True),
        ("grpc", "backtester:50051", True),
        ("grpc", "localhost:50051", False),
        ("grpc", "unix:/run/backtester.sock", False),
        ("grpc", "grpcs://backtester:50051", False),
        ("mcp", "http://files:8000/mcp", True),
        ("mcp", "npx -y @modelcontextprotocol/server-filesystem .", False),
        ("zmq_pub", "tcp://guardian:5559", True),
        ("zmq_pub", "tcp://guardian:5559?curve_serverkey=/keys/guardian.key", False),
        ("zmq_sub", "ipc:///run/orders", False),
        ("zmq_sub", "", False),
        ("acme.sqlite", "http://elsewhere", False),
        ("http", "http://[", False),
    ],
)
def test_an_address_beyond_this_machine_without_tls_is_plain(
    kind: str, address: str, *, expected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PGSSLMODE", raising=False)
    assert is_plain(kind, address) is expected
