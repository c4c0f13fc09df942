"""Options of `bundle`."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field
from pathlib import Path

from toolaccord_codegen.cli.options.arguments import argument
from toolaccord_codegen.cli.options.generate import GenerateOptions
from toolaccord_codegen.cli.value_types import parse_folder, parse_server_path


def _parse_release_url(text: str) -> str:
    """Return the address of a folder of published files."""
    if not text.startswith("https://"):
        raise argparse.ArgumentTypeError(f'"{text}" does not begin with https://')
    return text.rstrip("/")


@dataclass(frozen=True, slots=True, kw_only=True)
class BundleOptions:
    """Options of `bundle`."""

    server: tuple[str, str] = field(
        metadata=argument("e.g. acme/books", flag=False, type=parse_server_path, metavar="SYSTEM/NAME")
    )
    to: Path = field(
        metadata=argument(
            "the folder for the files; default: dist", type=parse_folder, default=Path("dist"), metavar="DIR"
        )
    )
    wheel: list[Path] | None = field(
        metadata=argument(
            "a wheel that the bundle brings with it, of toolaccord for example; repeatable",
            type=Path,
            action="append",
            metavar="FILE",
        )
    )
    icon: Path | None = field(metadata=argument("an icon in PNG", type=Path, metavar="FILE"))
    release_url: str | None = field(
        metadata=argument(
            "the address below which the bundle will be published; then server.json is written too",
            type=_parse_release_url,
            metavar="URL",
        )
    )
    sign: Path | None = field(
        metadata=argument("sign the bundle with this RSA key, a PEM file", type=Path, metavar="KEY")
    )
    certificate: Path | None = field(
        metadata=argument(
            "the certificate of the key, and after it those of its issuers, a PEM file", type=Path, metavar="FILE"
        )
    )
    generate: GenerateOptions
