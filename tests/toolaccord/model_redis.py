"""A Redis in memory on a clock that tests move, with the scripts of the shared cache."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, TypeVar

from toolaccord.call import shared_cache
from toolaccord.sources.redis import RedisError, Script, Value, stored_results
from toolaccord.testing import FakeSource, ManualClock

T = TypeVar("T")


class ModelRedis(FakeSource):
    """A Redis with faults, whose clock counts whole milliseconds like that of a real one."""

    def __init__(self, clock: ManualClock) -> None:
        super().__init__("redis")
        self._clock = clock
        self.values: dict[str, tuple[bytes, int]] = {}
        """Value and expiry in milliseconds, by key."""
        self.commands: Counter[str] = Counter()
        """Number of received commands of each kind."""
        self.error: RedisError | None = None
        """The answer to every command."""
        self.write_error: RedisError | None = None
        """The answer to every command that stores something."""
        self.is_silent = False
        """True if commands are never answered, and no source has a timeout for them."""
        self.latency_s = 0.0
        """Time that a command takes on its way, and its answer again."""
        self.before: dict[str, Callable[[], object]] = {}
        """Things that happen before the next command of a kind."""
        self._frozen: list[Callable[[], object]] | None = None

    def freeze(self) -> None:
        """Answer no command from now on."""
        self._frozen = self._frozen or []

    def thaw(self) -> None:
        """Execute the commands that arrived meanwhile; nobody waits for their answers."""
        late, self._frozen = self._frozen or [], None
        for command in late:
            with suppress(RedisError):
                command()

    async def get(self, key: str) -> bytes | None:
        return await self._execute("get", lambda: self._get(key))

    async def set(self, key: str, value: Value, *, ttl_ms: int | None = None, only_if_absent: bool = False) -> bool:
        assert ttl_ms is not None, "what the library shares always expires"

        def command() -> bool:
            if only_if_absent and self._get(key) is not None:
                return False
            self._set(key, value, ttl_ms)
            return True

        return await self._execute("set", command)

    async def delete(self, key: str) -> None:
        await self._execute("delete", lambda: self.values.pop(key, None))

    async def run_script(self, script: Script, keys: Sequence[str], arguments: Sequence[Value]) -> Any:
        if script is stored_results.READ:
            return await self._execute(
                "read", lambda: [*(self._read(keys[0]) or (None, 0)), str(self._now_ms()).encode()]
            )
        if script is shared_cache.FIND:
            return await self._execute("find", lambda: self._find(keys, arguments))
        if script is shared_cache.STORE:
            return await self._execute("store", lambda: self._store(keys, arguments))
        assert script is shared_cache.RELEASE
        return await self._execute("release", lambda: self._release(keys[0], arguments[0]))

    async def publish(self, _channel: str, _payload: Value) -> None:
        raise NotImplementedError

    async def _execute(self, name: str, command: Callable[[], T]) -> T:
        self.commands[name] += 1
        self.before.pop(name, lambda: None)()
        if self.is_silent:
            await asyncio.Event().wait()
        if self._frozen is not None:
            self._frozen.append(command)
            raise RedisError("no answer", failure="timeout")
        if self.error:
            raise self.error
        if self.write_error and name in {"set", "store"}:
            raise self.write_error
        self._clock.advance(self.latency_s)
        answer = command()
        self._clock.advance(self.latency_s)
        return answer

    def _now_ms(self) -> int:
        return int(self._clock.monotonic() * 1000)

    def _get(self, key: str) -> bytes | None:
        value, expires_at = self.values.get(key, (None, 0))
        return value if expires_at > self._now_ms() else None

    def _set(self, key: str, value: Value, ttl_ms: int) -> None:
        self.values[key] = str(value).encode() if isinstance(value, str | int) else value, self._now_ms() + ttl_ms

    def _left_ms(self, key: str) -> int:
        return self.values[key][1] - self._now_ms()

    def _read(self, key: str) -> list[Any] | None:
        value = self._get(key)
        return None if value is None else [value, self._left_ms(key)]

    def _find(self, keys: Sequence[str], arguments: Sequence[Value]) -> list[Any] | int:
        (key, lease), (token, lease_ms) = keys, arguments
        if found := self._read(key):
            return found
        if self._get(lease) is None:
            if self.write_error:
                raise self.write_error
            self._set(lease, token, int(lease_ms))
        return int(self._get(lease) == str(token).encode())

    def _store(self, keys: Sequence[str], arguments: Sequence[Value]) -> int:
        (key, lease), (token, value, beyond_lease_ms) = keys, arguments
        if self._get(lease) != str(token).encode():
            return 0
        ttl_ms = self._left_ms(lease) + int(beyond_lease_ms)
        self.values.pop(lease)
        if ttl_ms > 0:
            self._set(key, value, ttl_ms)
        return int(ttl_ms > 0)

    def _release(self, lease: str, token: Value) -> None:
        if self._get(lease) == str(token).encode():
            self.values.pop(lease)
