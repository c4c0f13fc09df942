"""Coverage of contracts: the errors, cached results and pages that tests have shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:  # pytest loads the plugin in every project of its environment
    from toolaccord.declarations.tool import AnyTool, Server

CACHED = "a cached result"
PAGE = "a page after the first"
_NO_CALL = frozenset({"access", "unknown_tool"})
"""Occasions on which no tool answers."""


class Promise(NamedTuple):
    """Something that a contract promises, and that one call can show."""

    server: str
    """Name of the server."""
    tool: str
    """Name of the tool."""
    shown: str
    """An error code, CACHED or PAGE."""


@dataclass(slots=True)
class Observations:
    """The promises that calls have shown."""

    promises: set[Promise] = field(default_factory=set)
    """The promises."""

    def note(self, server: str, tool: str, *shown: str | None) -> None:
        """Note what one answer of *tool* has *shown*; None is nothing."""
        self.promises.update(Promise(server, tool, each) for each in shown if each is not None)


def list_promises(server: Server[Any], *, standard: bool = False) -> Iterator[Promise]:
    """Yield the promises of a server's tools over MCP.

    With *standard*, also the codes that the dialect gives to what is not declared, such as a late answer.
    """
    for tool in server.tools:
        if tool.transports is not None and not {"stdio", "http"} & {*tool.transports}:
            continue
        codes = {each.error.code for each in tool.errors} | (_standard_codes(server, tool) if standard else set())
        shown = [*sorted(codes), *([CACHED] if tool.cache else []), *([PAGE] if tool.paginated else [])]
        yield from (Promise(server.name, tool.name, each) for each in shown)


def _standard_codes(server: Server[Any], tool: AnyTool) -> set[str]:
    """Return the codes of the dialect that *tool* can answer."""
    impossible = {each.occasion for each in tool.errors if each.occasion} | _NO_CALL
    impossible |= {"conflict"} if tool.idempotency is None else set()
    impossible |= {"rate_limit"} if tool.rate_limit is None else set()
    impossible |= {"sunset"} if not tool.versions else set()
    occasions = server.dialect.occasions
    return {code for name, code in asdict(occasions).items() if code is not None and name not in impossible}


def has_later_page(arguments: Any, result: Any) -> str | None:
    """Return PAGE if *arguments* select a page after the first and *result* has items of it."""
    is_later = isinstance(arguments, dict) and arguments.get("offset")
    return PAGE if is_later and isinstance(result, dict) and result.get("items") else None


@dataclass(frozen=True, slots=True)
class Coverage:
    """Promises of contracts, and those of them that a run of tests has shown."""

    promises: Sequence[Promise]
    """All promises, in the order of the contracts."""
    observations: Observations
    """The observations of the run."""

    @property
    def missing(self) -> list[Promise]:
        """The promises that no test has shown."""
        return [each for each in self.promises if each not in self.observations.promises]

    def lines(self) -> Iterator[str]:
        """Yield the lines of a report: for each tool the promises that are missing, and a sum."""
        by_tool: dict[tuple[str, str], list[str]] = {}
        for each in self.missing:
            by_tool.setdefault((each.server, each.tool), []).append(each.shown)
        widths = [max((len(key[column]) for key in by_tool), default=0) for column in (0, 1)]
        if by_tool:
            yield "No test shows:"
        for (server, tool), shown in by_tool.items():
            yield f"  {server:{widths[0]}}  {tool:{widths[1]}}  {', '.join(shown)}"
        shown_count = len(self.promises) - len(self.missing)
        yield f"Tests show {shown_count} of the {len(self.promises)} promises of the contracts."
