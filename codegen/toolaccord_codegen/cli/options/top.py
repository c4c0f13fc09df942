"""Options of `top`."""

from __future__ import annotations

from dataclasses import dataclass, field

from toolaccord_codegen.cli.options.arguments import argument
from toolaccord_codegen.cli.value_types import parse_interval


@dataclass(frozen=True, slots=True, kw_only=True)
class TopOptions:
    """Options of `top`."""

    urls: list[str] = field(
        metadata=argument(
            "a server or its /metrics, e.g. http://localhost:8000; several are added up",
            flag=False,
            nargs="+",
            metavar="URL",
        )
    )
    token_env: str | None = field(
        metadata=argument("the environment variable that holds the bearer token of the servers", metavar="NAME")
    )
    interval: float = field(
        metadata=argument("seconds between two looks; default: 2", type=parse_interval, default=2.0, metavar="S")
    )
    once: bool = field(metadata=argument("print one table after one interval, as in a pipe", action="store_true"))
