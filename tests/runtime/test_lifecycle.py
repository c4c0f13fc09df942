import asyncio
import signal
from collections.abc import Iterator

import pytest

from runtime import lifecycle, observability
from runtime.deployment import Patience
from runtime.lifecycle import Stop


@pytest.fixture
def stop(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stop]:
    """What a signal asks to stop, in a process that goes on."""
    monkeypatch.setattr(lifecycle, "_end_by_force_after", lambda _seconds: None)
    before = {each: signal.getsignal(each) for each in (signal.SIGTERM, signal.SIGINT)}
    yield Stop(Patience(drain_s=0, grace_s=0))
    for each, handler in before.items():
        signal.signal(each, handler)


async def test_a_signal_in_the_middle_of_a_call_has_nothing_to_do_with_it(
    stop: Stop, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard = asyncio.get_running_loop().create_future()
    monkeypatch.setattr(stop.asked, "set", lambda: heard.set_result(observability.current()))
    stop.on_signals()
    with observability.calling("abc"):
        signal.raise_signal(signal.SIGTERM)
    assert await heard is None
