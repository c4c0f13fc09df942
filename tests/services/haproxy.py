"""A real HAProxy on loopback, which sends requests only to replicas that say they are ready."""

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

CONFIGURATION = """
global
    maxconn 2000
    log stderr format raw local0
defaults
    mode http
    timeout connect 2s
    timeout client 300s
    timeout server 60s
    timeout check 2s
    retries 0
frontend proxy
    bind 127.0.0.1:{port}
    default_backend replicas
backend replicas
    balance roundrobin
    option httpchk
    http-check send meth GET uri {probe} ver HTTP/1.1 hdr Host {host}
    http-check expect status 200
    default-server check inter 200ms fall 1 rise 1
{replicas}
"""


@contextmanager
def proxy(
    program: Path, home: Path, port: int, replicas: Sequence[str], options: Sequence[str] = (), probe: str = "/ready"
) -> Iterator[str]:
    """Balance requests over *replicas*, each a `host:port`, without retries; give the URL.

    A replica is used while the path *probe* answers 200. *options* are further lines of the configuration.
    """
    lines = "".join(f"    {option}\n" for option in options)
    lines += "\n".join(f"    server replica{number} {address}" for number, address in enumerate(replicas))
    file = home / "haproxy.cfg"
    file.write_text(CONFIGURATION.format(port=port, host="127.0.0.1", probe=probe, replicas=lines), encoding="utf-8")
    with (home / "haproxy.log").open("wb") as log:
        running = subprocess.Popen([program, "-f", str(file), "-db"], stdout=log, stderr=log)
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            running.terminate()
            running.wait(timeout=60)
