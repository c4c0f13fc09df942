"""Descriptors of a server process, of which each connection needs one."""

from __future__ import annotations

import resource

_WANTED = 10_240
"""The most that macOS allows, and enough for thousands of connections."""


def raise_descriptor_limit() -> int:
    """Raise the soft limit of open files to 10,240, if it is lower and may be; return it.

    The usual soft limit of 1,024 is for programs that call `select`.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return _WANTED
    if soft >= _WANTED:
        return soft
    wanted = _WANTED if hard == resource.RLIM_INFINITY else min(hard, _WANTED)
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return wanted
