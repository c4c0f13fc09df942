"""Environment of a process with `--sandbox`, which uses no source of the real one."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from toolaccord.contract.settings import Setting
from toolaccord.server.startup import StartError
from toolaccord.sources import SourceDeclaration

_ADDRESS_KEYS = ("url", "endpoint", "target", "server", "paths")
"""Keys of sources' declarations that name settings with addresses."""
_ACCESS_KEYS = ("token", "org", "bucket", "query_language", "bearer", "basic", "headers", "query")
"""Keys that name further settings of a source."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxScope:
    """Environment variables of a process that the sandbox sets, or withholds."""

    variables: Collection[str]
    """Names that the sandbox may set."""
    addresses: Collection[Setting]
    """Settings that hold the address of a source."""
    private: Collection[str] = ()
    """Names of further variables whose real values must not be used."""


def scope_sandbox(
    variables: Collection[str], settings: Iterable[Setting], sources: Iterable[SourceDeclaration]
) -> SandboxScope:
    """Return the scope of a process that reads *settings*, and may get *variables*."""
    settings, sources = list(settings), list(sources)
    access = [setting.env for setting in _list_named(settings, sources, _ACCESS_KEYS)]
    servers = set(variables) - {setting.env for setting in settings}
    addresses = _list_named(settings, sources, _ADDRESS_KEYS)
    return SandboxScope(variables=variables, addresses=addresses, private=[*access, *servers])


@contextmanager
def provide_environment(name: str, scope: SandboxScope, sandbox: str | None) -> Iterator[Mapping[str, str]]:
    """Provide the environment; with *sandbox*, the variables of that module take precedence.

    Then no source of the real environment is used. *name* is the process's for people. Raises StartError, also where
    the sandbox has no stand-in for a source.
    """
    if not sandbox:
        yield os.environ
        return
    sys.stderr.write(f"{name}: starting the sandbox\n")
    with ExitStack() as stack:
        try:
            provided = stack.enter_context(importlib.import_module(sandbox).environment(scope.variables))
        except Exception as error:
            raise StartError(f"the sandbox did not start: {error}") from error
        sys.stderr.write(f"{name}: the sandbox sets {', '.join(sorted(provided)) or 'nothing'}\n")
        withheld = _find_withheld(scope, provided)
        if ignored := sorted(variable for variable in withheld if os.environ.get(variable)):
            sys.stderr.write(f"{name}: --sandbox ignores {', '.join(ignored)} of the environment\n")
        yield {key: value for key, value in os.environ.items() if key not in withheld} | dict(provided)


def _find_withheld(scope: SandboxScope, provided: Mapping[str, str]) -> Collection[str]:
    """Return the variables outside *provided* whose real values must not be used.

    Raises StartError for a source that would have no address, or a real one by default.
    """
    lacking = [setting for setting in scope.addresses if setting.env not in provided]
    if needed := [setting for setting in lacking if setting.required or setting.default]:
        lines = [f"  {setting.env}: {setting.description}" for setting in needed]
        reason = "the sandbox has no stand-in for these sources, and --sandbox never uses a real one:"
        raise StartError("\n".join([reason, *lines]))
    return {*(setting.env for setting in lacking), *scope.private} - provided.keys()


def _list_named(
    settings: Iterable[Setting], sources: Iterable[SourceDeclaration], keys: Iterable[str]
) -> list[Setting]:
    """Return those of *settings* that *sources* name under *keys* of their declarations."""
    declared = [getattr(source, key, None) for source in sources for key in keys]
    names = {name for each in declared for name in (each.values() if isinstance(each, Mapping) else [each])}
    return [setting for setting in settings if setting.name in names]
