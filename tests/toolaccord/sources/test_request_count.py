from contextlib import ExitStack

from toolaccord.sources import PoolState
from toolaccord.sources.request_count import RequestCount


def test_requests_beyond_the_limit_wait_and_use_no_connection() -> None:
    requests = RequestCount(2)
    with ExitStack() as stack:
        for in_use in (1, 2, 2):
            stack.enter_context(requests.track())
            assert requests.pool_state() == PoolState(idle=None, in_use=in_use, limit=2)
    assert requests.pool_state() == PoolState(idle=None, in_use=0, limit=2)
