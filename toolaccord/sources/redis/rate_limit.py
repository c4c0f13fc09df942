"""Counting of calls in Redis, so that replicas share a limit."""

from __future__ import annotations

from toolaccord.sources.redis.api import Redis, Script

_COUNT = Script("""
local clock = redis.call('TIME')
local now, calls, window = clock[1] * 1000000 + clock[2], tonumber(ARGV[1]), ARGV[2] * 1000000
if redis.call('LLEN', KEYS[1]) >= calls then
    local age = now - redis.call('LINDEX', KEYS[1], -calls)
    if age >= 0 and age < window then return window - age end
end
redis.call('RPUSH', KEYS[1], string.format('%.0f', now))
redis.call('LTRIM', KEYS[1], -calls, -1)
redis.call('EXPIRE', KEYS[1], ARGV[2])
return 0
""")
"""Appends the time of a call to the list KEYS[1] and returns 0.

If the list has ARGV[1] calls of the last ARGV[2] seconds, return the microseconds until the first of them is older. All
times are those of Redis's clock, so the clocks of replicas need not agree. After a step back of that clock, calls of
the future do not count.
"""
_MICROSECONDS = 1_000_000


async def count_call(redis: Redis, key: str, calls: int, window_s: int) -> float:
    """Count a call under *key* and return 0; beyond the limit, return the seconds to wait.

    The limit is *calls* in *window_s* seconds. A slow answer counts, so this waits as long as the caller does. Raises
    RedisError.
    """
    wait_us: int = await redis.run_script(_COUNT, [key], [calls, window_s], is_patient=True)
    return wait_us / _MICROSECONDS
