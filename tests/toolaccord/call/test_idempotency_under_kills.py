"""Fifty callers repeat keys on two servers, while servers and Redis are killed.

A server that dies between the effect of a call and the storing of its result frees the key: the handler may then run
again. An effect that carries the key happens once all the same.
"""

from __future__ import annotations

import asyncio
import itertools
import secrets
import signal
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import TypeAlias

import httpx
import pytest
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st

from tests.services.valkey import PERSISTENT, Valkey
from tests.toolaccord.demo.mail import Mailbox
from tests.toolaccord.listener import Listener, listening
from tests.toolaccord.process import PATIENCE_S

GROUPS, CALLERS_IN_GROUP = 10, 5
"""The callers of a group send the same keys, one after the other."""
VICTIMS = ("redis", "first server", "second server")
Kill: TypeAlias = tuple[str, int]
"""A victim, and the number of requests before it is killed."""


@dataclass
class Post:
    """Two servers, the Redis with their keys, and the mailbox that their letters reach."""

    valkey: Valkey
    mailbox: Mailbox
    servers: dict[str, Listener] = field(default_factory=dict)
    """The servers that run, by name."""
    redis_runs: asyncio.Event = field(default_factory=asyncio.Event)
    _stacks: dict[str, AsyncExitStack] = field(default_factory=dict)

    async def start(self) -> None:
        """Start the servers; Redis runs."""
        self.redis_runs.set()
        for name in VICTIMS[1:]:
            await self._start(name)

    async def stop(self) -> None:
        """Stop the servers."""
        for stack in self._stacks.values():
            await stack.aclose()

    async def kill(self, victim: str) -> None:
        """Kill *victim* and start it again."""
        if victim == "redis":
            self.redis_runs.clear()
            await asyncio.to_thread(self.valkey.restart)
            self.redis_runs.set()
        else:
            self.servers.pop(victim).process.signal(signal.SIGKILL)
            await self._stacks[victim].aclose()
            await self._start(victim)

    async def _start(self, name: str) -> None:
        environ = {"REDIS_URL": self.valkey.url, "MAIL_FOLDER": str(self.mailbox.folder)}
        self._stacks[name] = AsyncExitStack()
        server = await self._stacks[name].enter_async_context(
            listening(module="tests.toolaccord.demo.mail", environ=environ)
        )
        self.servers[name] = server

    def results(self) -> set[bytes]:
        """Return the results that Redis holds."""
        values = self.valkey.command("MGET", *self.valkey.command("KEYS", "*"))
        return {value.split(b" ", 3)[3] for value in values}


@dataclass
class Trial:
    """One run of all callers, with keys of its own."""

    post: Post
    name: str = field(default_factory=lambda: secrets.token_hex(4))
    requests: int = 0
    moved: asyncio.Condition = field(default_factory=asyncio.Condition)
    """Notified of each request."""
    is_over: bool = False
    acknowledged: dict[str, set[bytes]] = field(default_factory=dict)
    """The answers of each key that were successes."""
    failures: Counter[str] = field(default_factory=Counter)
    """The number of requests without a success, by key."""
    sent_before: dict[str, list[str]] = field(default_factory=dict)
    """The letters of each key that were sent before it was first acknowledged."""

    async def run(self, kills: Sequence[Kill]) -> None:
        """Kill as planned while the callers repeat keys, and let each finish its last key."""
        async with asyncio.timeout(PATIENCE_S * (1 + len(kills))), asyncio.TaskGroup() as group:
            for caller in range(GROUPS * CALLERS_IN_GROUP):
                group.create_task(self._repeat_keys(caller))
            for victim, requests in kills:
                await self._wait_for_requests(requests)
                await self.post.kill(victim)
            await self._wait_for_requests(2 * GROUPS * CALLERS_IN_GROUP)
            self.is_over = True

    async def _wait_for_requests(self, number: int) -> None:
        async with self.moved:
            limit = self.requests + number
            await self.moved.wait_for(lambda: self.requests >= limit)

    async def _repeat_keys(self, caller: int) -> None:
        group, member = caller % GROUPS, caller // GROUPS
        for number in itertools.count():
            await self._call_until_acknowledged(f"{self.name}-{group}-{number}", member)
            if self.is_over:
                return

    async def _call_until_acknowledged(self, key: str, first_server: int) -> None:
        """Call the servers in turn."""
        for turn in itertools.count(first_server):
            await self.post.redis_runs.wait()
            server = list(self.post.servers.values())[turn % len(self.post.servers)]
            async with self.moved:
                self.requests += 1
                self.moved.notify_all()
            headers = {"Idempotency-Key": f'"{key}"'}
            try:
                response = await server.client.post("/mcp/tools/post", json={"text": key}, headers=headers)
            except httpx.TransportError:  # killed
                self.failures[key] += 1
                continue
            if response.status_code == 200:
                self.sent_before.setdefault(key, self.post.mailbox.sent(key))
                self.acknowledged.setdefault(key, set()).add(response.content)
                return
            assert response.json()["error"]["code"] in {"MCP-003", "MCP-004"}, response.text
            self.failures[key] += 1

    def check(self) -> None:
        """Compare acknowledgements, letters and the values in Redis."""
        results, mailbox = self.post.results(), self.post.mailbox
        for key, answers in self.acknowledged.items():
            (answer,) = answers
            *lost, letter = mailbox.sent(key)
            assert len(lost) <= self.failures[key], "a letter is sent again only after a failure"
            assert [*lost, letter] == self.sent_before[key], "nothing is sent after the first acknowledgement"
            assert answer == b'{"letter":"%s"}' % letter.encode()
            assert answer in results
            assert mailbox.delivered(key) == [*lost, letter][0], "an effect that carries the key happens once"


@pytest.fixture(scope="module")
def post(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Post, asyncio.Runner]]:
    """Servers that survive one example for the next one, and the loop in which they run."""
    folder = tmp_path_factory.mktemp("mail")
    with Valkey(folder, *PERSISTENT).running() as valkey, asyncio.Runner() as runner:
        running = Post(valkey, Mailbox(folder))
        try:
            runner.run(running.start())
            yield running, runner
        finally:
            runner.run(running.stop())


def test_a_key_acts_once_and_its_acknowledgements_are_equal_and_stored(
    post: tuple[Post, asyncio.Runner], pytestconfig: pytest.Config
) -> None:
    kills = st.lists(st.tuples(st.sampled_from(VICTIMS), st.integers(10, 150)), min_size=2, max_size=2)
    examples = pytestconfig.getoption("--kill-examples", default=None) or 2
    running, runner = post

    @settings(max_examples=examples, phases=[Phase.explicit, Phase.generate])
    @example([])
    @given(kills)
    def run(kills: list[Kill]) -> None:
        trial = Trial(running)
        runner.run(trial.run(kills))
        trial.check()

    run()
