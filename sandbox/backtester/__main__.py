"""Serve the backtester until standard input ends: `python -m sandbox.backtester [PORT]`.

Listens on 127.0.0.1, and prints `host:port`.
"""

import asyncio
import importlib
import os
import signal
import sys

os.environ.setdefault("GRPC_VERBOSITY", "NONE")  # read when grpc is imported

from sandbox.backtester.service import make_server


async def main(port: int) -> int:
    """Serve until standard input ends or a signal arrives; return the exit code."""
    serving, loop, stopping = make_server(), asyncio.get_running_loop(), asyncio.Event()
    try:
        port = serving.add_insecure_port(f"127.0.0.1:{port}")
    except RuntimeError as error:
        sys.stderr.write(f"The backtester cannot listen on port {port}: {error}\n")
        return 1
    await serving.start()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopping.set)
    sys.stdout.write(f"127.0.0.1:{port}\n")
    sys.stdout.flush()
    loop.add_reader(sys.stdin, stopping.set)  # it is never written to, so it is readable at its end only
    # numpy and TA-Lib are imported in the background; an earlier request waits for them.
    loading = asyncio.create_task(asyncio.to_thread(importlib.import_module, "sandbox.backtester.run"))
    await stopping.wait()
    loading.cancel()
    await serving.stop(None)
    return 0


if __name__ == "__main__":
    code = asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 0))
    os._exit(code)  # does not wait for backtests in threads, whose callers are disconnected
