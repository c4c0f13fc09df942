"""Options of commands that call servers."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from toolaccord_codegen.cli.options.arguments import Project, argument
from toolaccord_codegen.cli.options.folders import Folders


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerOptions:
    """The project, and options that name a server of somebody else."""

    project: Project = field(default_factory=Project)
    url: str | None = field(
        metadata=argument("call the server at this address instead, e.g. http://localhost:8000/mcp", metavar="URL")
    )
    token_env: str | None = field(
        metadata=argument("the environment variable that holds the bearer token for --url", metavar="NAME")
    )
    command: str | None = field(
        metadata=argument('call the server that this command starts instead, e.g. "npx -y some-server"', metavar="TEXT")
    )

    @property
    def is_foreign(self) -> bool:
        """Return True for a server that is not of the project."""
        return self.url is not None or self.command is not None

    @property
    def folders(self) -> Folders:
        """Return the folders of the project, as its file gives them."""
        return Folders.of_project(self.project)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolsOptions(ServerOptions):
    """Options of `tools`."""

    server: str | None = field(
        metadata=argument("a server of the project, e.g. books or acme/books", flag=False, nargs="?", metavar="SERVER")
    )
    verbose: bool = field(
        metadata=argument("show descriptions of parameters, and error codes", short="v", action="store_true")
    )
    json: bool = field(metadata=argument("print JSON, as in a pipe", action="store_true"))


@dataclass(frozen=True, slots=True, kw_only=True)
class CallOptions(ServerOptions):
    """Options of `call`."""

    tool: str = field(
        metadata=argument("SERVER.TOOL of the project; TOOL with --url or --command", flag=False, metavar="TOOL")
    )
    arguments: list[str] = field(
        metadata=argument(
            "name=text, name:=JSON, @file.json, or - for JSON on standard input",
            flag=False,
            nargs="*",
            metavar="ARGUMENT",
        )
    )
    sandbox: bool = field(metadata=argument("start the server on sample data", action="store_true"))
    task: bool = field(
        metadata=argument("start a task and follow it; Ctrl-C asks whether to cancel it", action="store_true")
    )
    plot: bool = field(metadata=argument("draw candles, curves or bars of the result", action="store_true"))
    json: bool = field(metadata=argument("print JSON, as in a pipe", action="store_true"))
    out: Path | None = field(metadata=argument("save images, audio and files here", type=Path, metavar="FILE"))
    timeout: float = field(
        metadata=argument("seconds until the call is given up; default: 300", type=float, default=300.0, metavar="S")
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskOptions(ServerOptions):
    """Options of `tasks cancel`."""

    server: str | None = field(
        metadata=argument("a server of the project; none with --url", flag=False, nargs="?", metavar="SERVER")
    )
    id: str = field(metadata=argument("the id that `call --task` printed", flag=False, metavar="ID"))


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskResultOptions(TaskOptions):
    """Options of `tasks get`."""

    wait: bool = field(metadata=argument("follow the task to its end", action="store_true"))
    json: bool = field(metadata=argument("print JSON, as in a pipe", action="store_true"))
    out: Path | None = field(metadata=argument("save images, audio and files here", type=Path, metavar="FILE"))
