"""A proxy in a process of its own, whose answers are late.

The arguments are the port behind it and the delay in seconds. It writes its own port to standard output, and ends with
its standard input.
"""

from __future__ import annotations

import asyncio
import sys

from tests.services.tcp_proxy import TcpProxy


async def _forward(port: int, delay_s: float) -> None:
    proxy = TcpProxy(port)
    proxy.delay_s = delay_s
    async with proxy.running():
        sys.stdout.write(f"{proxy.port}\n")
        sys.stdout.flush()
        await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(_forward(int(sys.argv[1]), float(sys.argv[2])))
