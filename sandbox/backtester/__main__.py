"""`python -m sandbox.backtester [PORT]`: serve on 127.0.0.1, say where, and end with standard input."""

import asyncio
import importlib
import os
import signal
import sys

os.environ.setdefault("GRPC_VERBOSITY", "NONE")  # read when the library is loaded

from sandbox.backtester.service import server


async def main(port: int) -> int:
    """Serve until standard input ends; gives the exit code."""
    made, loop, over = server(), asyncio.get_running_loop(), asyncio.Event()
    try:
        port = made.add_insecure_port(f"127.0.0.1:{port}")
    except RuntimeError as error:
        sys.stderr.write(f"The backtester cannot listen on port {port}: {error}\n")
        return 1
    await made.start()
    for each in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(each, over.set)
    sys.stdout.write(f"127.0.0.1:{port}\n")
    sys.stdout.flush()
    loop.add_reader(sys.stdin, over.set)  # nothing is ever written to it: it only ends
    # What computes is loaded while nobody asks; a request that comes sooner waits for it.
    loading = asyncio.create_task(asyncio.to_thread(importlib.import_module, "sandbox.backtester.run"))
    await over.wait()
    loading.cancel()
    await made.stop(None)
    return 0


if __name__ == "__main__":
    code = asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 0))
    os._exit(code)  # not waiting for backtests in threads, of which nobody will hear
