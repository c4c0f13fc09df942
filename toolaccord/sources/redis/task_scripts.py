"""Scripts of the tasks in Redis.

A task is a hash with `value` and `revision`; `created` and `written`, the marks of the operations that stored the
first and the last value; and `place`, its place in its queue: `+` in the list of those that are ready, `-` in the set
of those with a delay, `=` and the token of its lease in the set of leases, or none. An entry of list or set whose task
has another place, or has expired, is void. The sets have the ends of leases and delays as scores, in milliseconds of
Redis's clock. Each message is `<revision> <owner>:<id> <queue>`; without a new value the revision is 0, and without a
task to take the queue is empty.
"""

from __future__ import annotations

from toolaccord.sources.redis.api import Script

_NOW = """
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
"""
_DROP_EXPIRED = """
local function drop_expired(ready, tasks)
    for _ = 1, 1000 do
        local first = redis.call('LINDEX', ready, 0)
        if not first or redis.call('EXISTS', tasks .. first) == 1 then return end
        redis.call('LPOP', ready)
    end
end
"""
_KEEP = """
local function keep(key, ttl_ms)
    if redis.call('PTTL', key) < ttl_ms then redis.call('PEXPIRE', key, ttl_ms) end
end
"""
_BEAT = """
local function beat(pulse, leased, away_ms, lease_ms)
    if redis.call('PTTL', pulse) > away_ms - 1000 or redis.call('PEXPIRE', pulse, away_ms) == 1 then return end
    for _, member in ipairs(redis.call('ZRANGEBYSCORE', leased, '-inf', now + lease_ms)) do
        redis.call('ZADD', leased, now + lease_ms, member)
    end
    redis.call('SET', pulse, '', 'PX', away_ms)
end
"""
"""Begins all leases again if no worker of the queue was heard for as long as none is silent.

Then Redis was away, or all workers were: nobody could extend a lease.
"""
CREATE = Script(
    _DROP_EXPIRED
    + _KEEP
    + """
local created = redis.call('HGET', KEYS[1], 'created')
if created then return created == ARGV[2] and 1 or 0 end
local bound, ttl_ms, prefix = tonumber(ARGV[4]), tonumber(ARGV[3]), string.sub(KEYS[1], 1, -1 - #ARGV[5])
bound = bound - redis.call('ZCARD', KEYS[4])
if redis.call('LLEN', KEYS[2]) >= bound then
    drop_expired(KEYS[2], prefix)
    if redis.call('LLEN', KEYS[2]) >= bound then return -1 end
end
redis.call('HSET', KEYS[1], 'value', ARGV[1], 'revision', 1, 'created', ARGV[2], 'place', '+')
redis.call('PEXPIRE', KEYS[1], ttl_ms)
redis.call('RPUSH', KEYS[2], ARGV[5])
local clock = redis.call('TIME')
redis.call('ZADD', KEYS[3], clock[1] * 1000000 + clock[2], ARGV[5])
keep(KEYS[3], ttl_ms)
for _, oldest in ipairs(redis.call('ZRANGE', KEYS[3], 0, 1)) do
    if redis.call('EXISTS', prefix .. oldest) == 1 then break end
    redis.call('ZREM', KEYS[3], oldest)
end
redis.pcall('PUBLISH', ARGV[6], '1 ' .. ARGV[5] .. ' ' .. ARGV[7])
return 1
""",
    is_idempotent=True,
)
"""Stores the task KEYS[1] with the value ARGV[1] for ARGV[3] ms.

It is put into the list KEYS[2], which has less than ARGV[4] tasks together with the set KEYS[4], and into the set of
its owner KEYS[3], each time as ARGV[5]. From that set, two tasks are dropped that have expired. The channel ARGV[6]
hears of it, and of the queue ARGV[7]. Returns 1, also to a repetition with the mark ARGV[2]; 0 for a key that exists;
-1 for a full queue.
"""
READ = Script(
    """
local found = redis.call('HMGET', KEYS[1], 'value', 'revision')
if not found[1] and redis.call('EXISTS', KEYS[1]) == 0 then return false end
return found
""",
    is_idempotent=True,
)
"""Returns value and revision of the task KEYS[1]; nothing without one."""
WRITE = Script(
    _KEEP
    + """
local found = redis.call('HMGET', KEYS[1], 'revision', 'written', 'place')
if found[2] == ARGV[3] then return tonumber(found[1]) end
if found[1] ~= ARGV[2] then return false end
local revision, ttl_ms = tonumber(ARGV[2]) + 1, tonumber(ARGV[4])
redis.call('HSET', KEYS[1], 'value', ARGV[1], 'revision', revision, 'written', ARGV[3])
redis.call('PEXPIRE', KEYS[1], ttl_ms)
keep(KEYS[2], ttl_ms)
if ARGV[7] ~= '' and found[3] ~= '+' then
    redis.call('ZREM', KEYS[4], ARGV[5])
    redis.call('ZREM', KEYS[5], ARGV[5])
    redis.call('RPUSH', KEYS[3], ARGV[5])
    redis.call('HSET', KEYS[1], 'place', '+')
elseif ARGV[8] ~= '' and found[3] == '=' .. ARGV[8] then
    redis.call('ZREM', KEYS[4], ARGV[5])
    redis.call('HDEL', KEYS[1], 'place')
end
redis.pcall('PUBLISH', ARGV[6], string.format('%.0f ', revision) .. ARGV[5] .. ' ' .. ARGV[7])
return revision
""",
    is_idempotent=True,
)
"""Replaces the value of the task KEYS[1] by ARGV[1] if ARGV[2] is its revision.

It lives for ARGV[4] ms. KEYS[2] is the set of its owner. With a queue ARGV[7], it is moved from the sets KEYS[4] and
KEYS[5] to the end of the list KEYS[3], in which it is ARGV[5]. Else a lease with the token ARGV[8] ends. The channel
ARGV[6] hears of it. Returns the new revision, also to a repetition with the mark ARGV[3]; nothing if the revision is
another one.
"""
LIST = Script(
    """
local limit, tasks, start = tonumber(ARGV[1]), {}, 0
repeat
    local page = redis.call('ZREVRANGE', KEYS[1], start, start + limit - 1)
    for _, member in ipairs(page) do
        local task = redis.pcall('HMGET', ARGV[2] .. member, 'value', 'revision')
        if task[1] and task[2] and #tasks < limit then
            tasks[#tasks + 1] = {member, task[1], task[2]}
        end
        if task.err or task[1] or redis.call('EXISTS', ARGV[2] .. member) == 1 then
            start = start + 1
        else
            redis.call('ZREM', KEYS[1], member)
        end
    end
until #page < limit or #tasks >= limit
return tasks
""",
    is_idempotent=True,
)
"""Returns name, value and revision of tasks of an owner, the newest first.

They are up to ARGV[1] of the set KEYS[1]. Those that have expired are dropped from it. The keys of tasks begin with
ARGV[2].
"""
TAKE = Script(
    _NOW
    + _BEAT
    + """
beat(KEYS[4], KEYS[2], tonumber(ARGV[5]), tonumber(ARGV[3]))
local function take_due(set)
    local member = redis.call('ZRANGEBYSCORE', set, '-inf', now, 'LIMIT', 0, 1)[1]
    if member then redis.call('ZREM', set, member) end
    return member
end
local function take_next()
    local member = take_due(KEYS[2])
    if member then return member, '=' end
    member = take_due(KEYS[3])
    if member then return member, '-' end
    return redis.call('LPOP', KEYS[1]), '+'
end
local taken, damaged, limit, left, is_empty = {}, 0, tonumber(ARGV[1]), 1048576, false
for _ = 1, limit + 1000 do
    local member, place = take_next()
    is_empty = not member
    if is_empty then break end
    local key = ARGV[4] .. member
    local found = redis.pcall('HMGET', key, 'place', 'value', 'revision')
    local is_here = found[1] and string.sub(found[1], 1, 1) == place
    local is_whole = found[2] and found[3] and #found[3] < 16 and string.find(found[3], '^%d+$')
    if found.err or (is_here and not is_whole) then
        damaged = damaged + 1
    elseif is_here then
        redis.call('HSET', key, 'place', '=' .. ARGV[2])
        redis.call('ZADD', KEYS[2], now + ARGV[3], member)
        left = left - #found[2]
        taken[#taken + 1] = left >= 0 and {member, found[2], found[3]} or {member}
    end
    if #taken == limit then break end
end
local due_at = is_empty and math.huge or now
if is_empty then
    for _, set in ipairs({KEYS[2], KEYS[3]}) do
        due_at = math.min(due_at, redis.call('ZRANGE', set, 0, 0, 'WITHSCORES')[2] or math.huge)
    end
end
return {damaged, due_at < math.huge and math.max(due_at - now, 0) or -1, taken}
"""
)
"""Takes up to ARGV[1] tasks from the sets KEYS[2] and KEYS[3] and the list KEYS[1].

The key KEYS[4] shows for ARGV[5] ms that workers are heard. The tasks are those whose lease or delay is over, and then
those that are ready. Each is leased for ARGV[3] ms under the
token ARGV[2]. Void entries are dropped, and entries of damaged tasks. The keys of tasks begin with ARGV[4]. Returns the
number of damaged tasks, the milliseconds until there may be another task, or -1 if nobody knows, and those taken: name,
value and revision, or the name alone beyond 1 MiB of values.
"""
EXTEND = Script(
    _NOW
    + _BEAT
    + """
beat(KEYS[3], KEYS[2], tonumber(ARGV[4]), tonumber(ARGV[2]))
if redis.call('HGET', KEYS[1], 'place') ~= '=' .. ARGV[1] then return 0 end
redis.call('ZREM', KEYS[2], ARGV[3])
redis.call('ZADD', KEYS[2], now + ARGV[2], ARGV[3])
return 1
""",
    is_idempotent=True,
)
"""Begins the lease with the token ARGV[1] of the task KEYS[1] again, for ARGV[2] ms.

It is ARGV[3] in the set KEYS[2], from which it is taken first: a full Redis adds nothing in a script that has freed
nothing. The key KEYS[3] shows for ARGV[4] ms that workers are heard. Returns whether the lease is the caller's.
"""
RELEASE = Script(
    """
if redis.call('HGET', KEYS[1], 'place') ~= '=' .. ARGV[1] then return end
redis.call('ZREM', KEYS[2], ARGV[2])
redis.call('HDEL', KEYS[1], 'place')
""",
    is_idempotent=True,
)
"""Ends the lease with the token ARGV[1] of the task KEYS[1].

It is ARGV[2] in the set KEYS[2].
"""
GIVE_BACK = Script(
    _NOW
    + """
if redis.call('HGET', KEYS[1], 'place') ~= '=' .. ARGV[1] then return end
redis.call('ZREM', KEYS[2], ARGV[2])
if tonumber(ARGV[3]) > 0 then
    redis.call('ZADD', KEYS[3], now + ARGV[3], ARGV[2])
    redis.call('HSET', KEYS[1], 'place', '-')
else
    redis.call('LPUSH', KEYS[4], ARGV[2])
    redis.call('HSET', KEYS[1], 'place', '+')
end
redis.pcall('PUBLISH', ARGV[4], '0 ' .. ARGV[2] .. ' ' .. ARGV[5])
""",
    is_idempotent=True,
)
"""Moves the task KEYS[1] from the set of leases KEYS[2] to the set of delays KEYS[3].

Without a delay, it goes to the front of the list KEYS[4]. Nothing happens unless it has the token ARGV[1]. It is
ARGV[2] in them, its delay is ARGV[3] ms, and the channel ARGV[4] hears of its queue ARGV[5].
"""
COUNT = Script(
    _NOW
    + _DROP_EXPIRED
    + """
drop_expired(KEYS[1], ARGV[1])
return redis.call('LLEN', KEYS[1]) + redis.call('ZCOUNT', KEYS[2], '-inf', now) + redis.call('ZCARD', KEYS[3])
""",
    is_idempotent=True,
)
"""Returns the number of tasks that no worker has.

They are in list KEYS[1] and set KEYS[3], and in set KEYS[2] if their lease has run out. Tasks that expired are dropped
from the front of the list. The keys of tasks begin with ARGV[1].
"""
FIND_EVICTION = Script(
    """
local memory = redis.pcall('INFO', 'memory')
return type(memory) == 'string' and string.match(memory, 'maxmemory_policy:(%S+)')
""",
    is_idempotent=True,
)
"""Returns the policy by which Redis evicts keys; nothing if it does not tell."""
