"""Publication of a message once, however often and by whomever it is repeated."""

from __future__ import annotations

from hashlib import sha256

from toolpact.sources.redis.api import Redis, Script, Value

_PUBLISH_ONCE = Script(
    """
if not redis.call('SET', KEYS[1], '', 'PX', ARGV[3], 'NX') then return end
local sent = redis.pcall('PUBLISH', ARGV[1], ARGV[2])
if type(sent) == 'table' and sent.err then
    redis.call('DEL', KEYS[1])
    return sent
end
""",
    is_idempotent=True,
)
"""Publishes ARGV[2] on the channel ARGV[1], unless the marker KEYS[1] exists.

The new marker lives for ARGV[3] ms. A publication that Redis rejects leaves no marker. Redis runs nothing else
meanwhile.
"""


async def publish_once(redis: Redis, channel: str, payload: bytes, *, message_id: str, window_s: int) -> None:
    """Publish *payload*, unless one with its id was published in the last *window_s* seconds.

    Raises RedisError. Then the message may be published all the same, and may be repeated.
    """
    digest = sha256(message_id.encode()).hexdigest()
    arguments: list[Value] = [channel, payload, window_s * 1000]
    await redis.run_script(_PUBLISH_ONCE, [f"toolpact:event:{channel}:{digest}"], arguments)
