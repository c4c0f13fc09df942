"""Scripts of the sessions in Redis, whose keys all begin with one prefix.

`session:<id>` is a hash: the digest of the caller, and the fields of the session. `holders:<id>` is the set of the
processes that serve it. `open` and `busy` are sets of `<digest of the caller>:<id>`. Their scores are times in
milliseconds: that of the last request, and that until which the session is busy. `events:<id>` is a stream of Redis
with `s`, `n` and `t` of each event: stream, number and text. `streams:<id>` is a hash: under the name of a stream it
has its process and the id of its request, under `e:` and the name its end, and under `f:` and the name the processes
that follow it. `stored` has the bytes of the events of each session, and `total` their sum. `processes` is the set of
the processes, with the times until which they are known. `inbox:<process>` is a list of messages; each begins with 16
characters of its own.

Messages on the channel `process:<process>` are short. An empty one says that the list has a message. `e<id>:<stream>`
says that a stream has a new event, and `u<uri>` that a resource has changed.
"""

from __future__ import annotations

from toolaccord.sources.redis.api import Script

_NOW = """
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
"""
_SEND = """
local function send(prefix, process, message)
    local inbox = prefix .. 'inbox:' .. process
    if redis.call('LLEN', inbox) >= 1000 then return 0 end
    redis.call('RPUSH', inbox, message)
    redis.call('PEXPIRE', inbox, 60000)
    redis.call('PUBLISH', prefix .. 'process:' .. process, '')
    return 1
end
"""
_DROP = """
local function drop(prefix, id)
    local names = {'session:', 'holders:', 'events:', 'streams:'}
    for _, name in ipairs(names) do redis.call('DEL', prefix .. name .. id) end
    redis.call('DECRBY', prefix .. 'total', redis.call('ZSCORE', prefix .. 'stored', id) or 0)
    redis.call('ZREM', prefix .. 'stored', id)
end
"""
CREATE = Script(
    _NOW
    + _DROP
    + """
local prefix, member, id, idle_ms = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])
if redis.call('EXISTS', KEYS[3]) == 1 then return 1 end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', '(' .. (now - idle_ms))
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[5]) then
    local members, counts, greediest, most = redis.call('ZRANGE', KEYS[1], 0, -1), {}, '', 0
    for _, each in ipairs(members) do
        local caller = string.sub(each, 1, 64)
        counts[caller] = (counts[caller] or 0) + 1
        if counts[caller] > most then greediest, most = caller, counts[caller] end
    end
    if most <= (counts[string.sub(member, 1, 64)] or 0) + 1 then return 0 end
    local idle
    for _, each in ipairs(members) do
        if string.sub(each, 1, 64) == greediest and not redis.call('ZSCORE', KEYS[2], each) then
            idle = each
            break
        end
    end
    if not idle then return 0 end
    redis.call('ZREM', KEYS[1], idle)
    drop(prefix, string.sub(idle, 66))
end
for place = 6, #ARGV, 2 do redis.call('HSET', KEYS[3], ARGV[place], ARGV[place + 1]) end
redis.call('PEXPIRE', KEYS[3], idle_ms)
redis.call('ZADD', KEYS[1], now, member)
return 1
""",
    is_idempotent=True,
)
"""Keeps the session ARGV[3], if there is room; returns 1 or 0.

Names and values of its fields follow ARGV[5]. It is KEYS[3], ends after ARGV[4] idle milliseconds, and is ARGV[2] in
the set KEYS[1], which holds ARGV[5]. Else the first that is not in KEYS[2] of the caller with the most makes room, if
this caller has less than one fewer.
"""
FIND = Script(
    _NOW
    + """
if redis.call('HGET', KEYS[1], 'caller') ~= ARGV[1] then return false end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
redis.call('SADD', KEYS[2], ARGV[3])
redis.call('PEXPIRE', KEYS[2], ARGV[2])
redis.call('ZADD', KEYS[3], now, ARGV[4])
return redis.call('HGETALL', KEYS[1])
""",
    is_idempotent=True,
)
"""Returns the fields of the session KEYS[1] if it belongs to the caller ARGV[1].

Its idle time of ARGV[2] ms begins anew. The process ARGV[3] is now in its set KEYS[2]. It is ARGV[4] in KEYS[3].
"""
CHANGE = Script(
    """
if redis.call('EXISTS', KEYS[1]) == 0 then return false end
local first_drop = 2 + 2 * ARGV[1]
for place = 2, first_drop - 1, 2 do redis.call('HSET', KEYS[1], ARGV[place], ARGV[place + 1]) end
for place = first_drop, #ARGV do redis.call('HDEL', KEYS[1], ARGV[place]) end
return redis.call('HGETALL', KEYS[1])
""",
    is_idempotent=True,
)
"""Replaces ARGV[1] fields of the session KEYS[1], and deletes others; returns all fields."""
DELETE = Script(
    _SEND
    + _DROP
    + """
for _, process in ipairs(redis.call('SMEMBERS', KEYS[1])) do
    if process ~= ARGV[4] then send(ARGV[1], process, ARGV[5]) end
end
redis.call('ZREM', KEYS[2], ARGV[2])
drop(ARGV[1], ARGV[3])
""",
    is_idempotent=True,
)
"""Ends the session ARGV[3], which is ARGV[2] in KEYS[2].

Its processes KEYS[1] get the message ARGV[5], but for the process ARGV[4].
"""
TELL = Script(
    _SEND
    + """
if ARGV[3] ~= '' then
    return redis.call('SISMEMBER', KEYS[1], ARGV[3]) == 1 and send(ARGV[1], ARGV[3], ARGV[4]) or 0
end
for _, process in ipairs(redis.call('SMEMBERS', KEYS[1])) do
    if process ~= ARGV[2] then send(ARGV[1], process, ARGV[4]) end
end
return 1
""",
    is_idempotent=True,
)
"""Sends the message ARGV[4] to the process ARGV[3], or to all but for ARGV[2].

They are in the set KEYS[1]. Returns 0 if the process is not.
"""
DRAIN = Script(
    """
local done = {}
for place = 1, #ARGV do done[ARGV[place]] = true end
while true do
    local first = redis.call('LINDEX', KEYS[1], 0)
    if not first or not done[string.sub(first, 1, 16)] then break end
    redis.call('LPOP', KEYS[1])
end
local found, left = {}, 4194304
for place = 0, 99 do
    local message = redis.call('LINDEX', KEYS[1], place)
    if not message then break end
    left = left - #message
    if left < 0 and place > 0 then break end
    found[#found + 1] = message
end
return found
""",
    is_idempotent=True,
)
"""Returns the first messages of the list KEYS[1].

Before, those are dropped that begin with one of the arguments.
"""
START_STREAM = Script(
    """
if redis.call('EXISTS', KEYS[1]) == 0 then return end
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
redis.call('PEXPIRE', KEYS[2], ARGV[3])
""",
    is_idempotent=True,
)
"""Notes the stream ARGV[1] of the session KEYS[1] in KEYS[2], with ARGV[2], for ARGV[3] ms."""
APPEND = Script(
    _NOW
    + """
local prefix, id, stream = ARGV[1], ARGV[2], ARGV[3]
local most_events, most_bytes, most_total = tonumber(ARGV[7]), tonumber(ARGV[8]), tonumber(ARGV[9])
local age_ms, beside = tonumber(ARGV[10]), tonumber(ARGV[11])
local stored, total = prefix .. 'stored', prefix .. 'total'
if redis.call('EXISTS', prefix .. 'session:' .. id) == 0 then return end
local function drop_oldest(events)
    local first = redis.call('XRANGE', events, '-', '+', 'COUNT', 1)[1]
    redis.call('XDEL', events, first[1])
    return #first[2][6] + beside
end
local events, streams = KEYS[1], KEYS[2]
local before = tonumber(redis.call('ZSCORE', stored, id) or 0)
local size = redis.call('EXISTS', events) == 1 and before or 0
redis.call('XADD', events, '*', 's', stream, 'n', ARGV[4], 't', ARGV[5])
size = size + #ARGV[5] + beside
while redis.call('XLEN', events) > 1 do
    local oldest = redis.call('XRANGE', events, '-', '+', 'COUNT', 1)[1][1]
    local is_old = tonumber(string.match(oldest, '^%d+')) < now - age_ms
    if not is_old and size <= most_bytes and redis.call('XLEN', events) <= most_events then break end
    size = size - drop_oldest(events)
end
redis.call('ZADD', stored, size, id)
local sum = redis.call('INCRBY', total, size - before)
if sum > most_total then
    sum = 0
    local sizes = redis.call('ZRANGE', stored, 0, -1, 'WITHSCORES')
    for place = 1, #sizes, 2 do
        if redis.call('EXISTS', prefix .. 'events:' .. sizes[place]) == 1 then
            sum = sum + sizes[place + 1]
        else
            redis.call('ZREM', stored, sizes[place])
        end
    end
    while sum > most_total do
        local greediest = redis.call('ZREVRANGE', stored, 0, 0)[1]
        local freed = drop_oldest(prefix .. 'events:' .. greediest)
        redis.call('ZINCRBY', stored, -freed, greediest)
        if redis.call('XLEN', prefix .. 'events:' .. greediest) == 0 then redis.call('ZREM', stored, greediest) end
        sum = sum - freed
    end
    redis.call('SET', total, sum)
end
if ARGV[6] == '1' then redis.call('HSET', streams, 'e:' .. stream, 1) end
redis.call('PEXPIRE', events, age_ms)
redis.call('PEXPIRE', streams, age_ms)
for process in string.gmatch(redis.call('HGET', streams, 'f:' .. stream) or '', '%S+') do
    redis.call('PUBLISH', prefix .. 'process:' .. process, 'e' .. id .. ':' .. stream)
end
""",
    is_idempotent=True,
)
"""Stores the event ARGV[4] of the stream ARGV[3] of the session ARGV[2].

Its text is ARGV[5]; it is the last one if ARGV[6] is 1. A session stores ARGV[7] events and ARGV[8] bytes, all store
ARGV[9] bytes, each for ARGV[10] ms; ARGV[11] bytes count beside a text. A repetition stores an event twice, which its
readers do not see.
"""
LOSE = Script("redis.call('HDEL', KEYS[1], ARGV[1])", is_idempotent=True)
"""Forgets the stream ARGV[1] of KEYS[1]."""
READ = Script(
    """
local prefix, stream, after, process = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4]
if redis.call('EXISTS', KEYS[1]) == 0 then return false end
local about = redis.call('HGET', KEYS[3], stream)
if not about then return {'', 1, 1, {}} end
local has_ended, is_alive = redis.call('HEXISTS', KEYS[3], 'e:' .. stream), 1
if has_ended == 0 then
    local followers = redis.call('HGET', KEYS[3], 'f:' .. stream) or ''
    if not string.find(' ' .. followers .. ' ', ' ' .. process .. ' ', 1, true) then
        redis.call('HSET', KEYS[3], 'f:' .. stream, followers .. ' ' .. process)
    end
    is_alive = redis.call('PUBLISH', prefix .. 'process:' .. string.match(about, '^%S+'), 'e')
end
local found, left = {}, 4194304
for _, entry in ipairs(redis.call('XRANGE', KEYS[2], '-', '+')) do
    local fields = entry[2]
    if fields[2] == stream and tonumber(fields[4]) > after then
        left = left - #fields[6]
        if left < 0 and #found > 0 then
            has_ended = 0
            break
        end
        found[#found + 1] = fields[4]
        found[#found + 1] = fields[6]
    end
end
return {about, has_ended, is_alive, found}
""",
    is_idempotent=True,
)
"""Returns the stream ARGV[2] after the event ARGV[3]; nothing without the session KEYS[1].

That is its process and the id of its request, or an empty text if it is not known; 1 if it has ended; the number of
subscribers of its process, which should be 1; and numbers and texts of events. The process ARGV[4] follows it now.
"""
KEEP = Script(
    _NOW
    + """
local prefix, process, ttl_ms, idle_ms, age_ms = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4], ARGV[5]
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
redis.call('ZADD', KEYS[1], now + ttl_ms, process)
local gone = {}
for place = 6, #ARGV, 2 do
    local id, member = ARGV[place], ARGV[place + 1]
    if redis.call('PEXPIRE', prefix .. 'session:' .. id, idle_ms) == 1 then
        redis.call('PEXPIRE', prefix .. 'holders:' .. id, idle_ms)
        redis.call('PEXPIRE', prefix .. 'events:' .. id, age_ms)
        redis.call('PEXPIRE', prefix .. 'streams:' .. id, age_ms)
        redis.call('ZADD', KEYS[2], now, member)
        redis.call('ZADD', KEYS[3], now + ttl_ms, member)
    else
        gone[#gone + 1] = id
    end
end
return gone
""",
    is_idempotent=True,
)
"""Keeps the process ARGV[2] in KEYS[1] for ARGV[3] ms, and its busy sessions.

Their ids and members follow ARGV[5]. They are not idle now, in KEYS[2], and busy for ARGV[3] ms, in KEYS[3]. Returns
the ids of those that have ended.
"""
REPORT = Script(
    _NOW
    + """
for _, process in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], now, '+inf')) do
    if process ~= ARGV[2] then redis.call('PUBLISH', ARGV[1] .. 'process:' .. process, 'u' .. ARGV[3]) end
end
""",
    is_idempotent=True,
)
"""Tells each process of KEYS[1] but for ARGV[2] that the resource ARGV[3] has changed."""
LEAVE = Script("redis.call('ZREM', KEYS[1], ARGV[1])", is_idempotent=True)
"""Takes the process ARGV[1] out of KEYS[1]."""
