"""Texts of SQL that hold names and texts of a database."""

from __future__ import annotations


def literal(text: str) -> str:
    """Return a text as a literal, whatever it holds."""
    escaped = text.replace("'", "''")
    return f"'{escaped}'" if "\\" not in escaped else "E'" + escaped.replace("\\", "\\\\") + "'"


def when(condition: str, statements: list[str]) -> str:
    """Return a block that runs statements if a condition holds."""
    body = "".join(f"{each};\n" for each in statements)
    return do_block(f"BEGIN\nIF {condition} THEN\n{body}END IF;\nEND")


def do_block(body: str) -> str:
    """Return an anonymous block; its tag is in no part of it."""
    tag = next(tag for number in range(len(body) + 1) if (tag := f"$do{number or ''}$") not in body)
    return f"DO {tag} {body} {tag};\n"
