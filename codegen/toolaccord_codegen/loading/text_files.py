"""Reading of texts that people write beside contracts: Python modules and a changelog."""

from __future__ import annotations

import ast
from pathlib import Path

from toolaccord_codegen.diagnostics import CommandError
from toolaccord_codegen.loading.documents import display_path
from toolaccord_codegen.loading.regular_files import read_regular_file


def read_utf8(path: Path) -> str:
    """Read a file as UTF-8, with its ends of lines.

    Raises CommandError for another encoding, and OSError.
    """
    try:
        return read_regular_file(path).decode()
    except UnicodeDecodeError as error:
        raise CommandError(f"{display_path(path)} is not UTF-8; save it as UTF-8") from error


def parse_python(source: str | bytes, path: Path) -> ast.Module:
    """Parse a module; *path* is for the message.

    Raises SyntaxError for everything that Python rejects, always with a line.
    """
    try:
        return ast.parse(source, filename=str(path))
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        if isinstance(error, SyntaxError) and error.lineno:
            raise
        message = str(error) or "it is nested too deeply"
        raise SyntaxError(message, (str(path), 1, 1, None)) from error
