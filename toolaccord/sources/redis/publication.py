"""Publication of a message once, however often and by whomever it is repeated."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

from toolaccord.handler import Publication
from toolaccord.sources.redis.api import Redis, Script, Value

_PUBLISH_ONCE = Script(
    """
local known = redis.call('GET', KEYS[1])
local is_final = #ARGV == 5
local payload, kind = ARGV[4], is_final and 'f' or 'p'
if known then
    if string.sub(known, 2) == ARGV[3] then return string.sub(known, 1, 1) end
    if not is_final or string.sub(known, 1, 1) ~= 'p' then return 'd' end
    payload, kind = ARGV[5], 'r'
end
redis.call('SET', KEYS[1], kind .. ARGV[3], 'PX', ARGV[2])
local sent = redis.pcall('PUBLISH', ARGV[1], payload)
if type(sent) == 'table' and sent.err then
    if known then redis.call('SET', KEYS[1], known, 'PX', ARGV[2]) else redis.call('DEL', KEYS[1]) end
    return sent
end
return kind
""",
    is_idempotent=True,
)
"""Publishes ARGV[4] on the channel ARGV[1], unless the marker KEYS[1] exists.

A marker lives for ARGV[2] ms. It has a kind, p for provisional, f for final or r for replaced, and the token ARGV[3]
of its publication, which returns the kind. With ARGV[5] the message is final, and ARGV[5] replaces a provisional one.
A repetition with its token returns the kind of its marker, and any other d for a duplicate. A publication that Redis
rejects leaves the marker as it was. Redis runs nothing else meanwhile.
"""
_PUBLICATIONS: dict[bytes, Publication] = {
    b"p": "published",
    b"f": "published",
    b"r": "replaced",
    b"d": "duplicate",
}


async def publish_once(
    redis: Redis,
    channel: str,
    payloads: Sequence[bytes],
    *,
    message_id: str,
    token: str,
    window_s: int,
) -> Publication:
    """Publish the first of *payloads*, unless a message with its id was published.

    An id is known for *window_s* seconds. With a second payload, the message is final, and the second replaces one
    that is not. Repetitions of a publication have its *token*. Raises RedisError. Then the message may be published
    all the same, and may be repeated.
    """
    digest = sha256(message_id.encode()).hexdigest()
    arguments: list[Value] = [channel, window_s * 1000, token, *payloads]
    return _PUBLICATIONS[await redis.run_script(_PUBLISH_ONCE, [f"toolaccord:event:{channel}:{digest}"], arguments)]
