"""Probe `/health` of a server from a process of its own: `python health.py PORT TIMEOUT_S`.

It prints a line when it starts. At the end of its input it prints the latencies in milliseconds as JSON. A probe
without an answer counts with the timeout.
"""

import json
import socket
import sys
import threading
import time

INTERVAL_S = 0.01
"""Seconds between an answer and the next probe."""
REQUEST = b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"


def probe(port: int, timeout_s: float) -> float:
    """Return the seconds that one request takes, on a connection of its own."""
    start = time.perf_counter()
    try:
        with socket.create_connection(("127.0.0.1", port), timeout_s) as connection:
            connection.settimeout(timeout_s)
            connection.sendall(REQUEST)
            is_answered = connection.recv(65536).startswith(b"HTTP/1.1 200")
    except OSError:
        is_answered = False
    return time.perf_counter() - start if is_answered else timeout_s


def main() -> None:
    """Probe until the end of standard input."""
    port, timeout_s = int(sys.argv[1]), float(sys.argv[2])
    reading = threading.Thread(target=sys.stdin.read, daemon=True)
    reading.start()
    latencies = []
    sys.stdout.write("probing\n")
    sys.stdout.flush()
    while reading.is_alive():
        latencies.append(round(probe(port, timeout_s) * 1000, 2))
        reading.join(INTERVAL_S)
    sys.stdout.write(json.dumps(latencies))


if __name__ == "__main__":
    main()
