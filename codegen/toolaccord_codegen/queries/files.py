"""SQL files of handlers, with named queries."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from toolaccord.semantics.sql_templates import Parameter, Template, cut_statement, parse_template
from toolaccord_codegen.diagnostics import Problem
from toolaccord_codegen.loading.documents import display_path
from toolaccord_codegen.loading.json_locations import LineIndex
from toolaccord_codegen.loading.reading import check_size, read_contract_file
from toolaccord_codegen.naming import ClassName, ConstantName, Identifier

KINDS = ("one", "single", "many", "page", "exec")
"""The kinds of queries: first row or None, only row, all rows, a page of rows, and no rows."""
PAGE_PARAMETERS = ("limit", "offset")
"""The parameters that every page has."""
SOURCE = "postgres"
"""The first parameter of every coroutine."""
MOST_VARIANTS = 64
"""Statements for which one query may stand; each is checked, and planned by PostgreSQL."""
_NAME = re.compile(r"^--[ \t]*name:[ \t]*(?P<rest>[^\n]*)$", re.MULTILINE)
_NAME_AND_KIND = re.compile(r"(?P<name>[a-z][a-z0-9_]*)[ \t]+:(?P<kind>[a-z]+)[ \t]*")
_COMMENT = re.compile(r"--[ \t]?(?P<text>[^\n]*)\n?")
_DIRECTIVE = re.compile(r"(?P<key>returns|null):[ \t]*(?P<value>.*)")


@dataclass(frozen=True)
class SqlFile:
    """The SQL file of a server."""

    name: str
    """Its path below the folder of the handlers, with slashes."""
    display_path: str
    """Its path as problems show it."""
    text: str

    @cached_property
    def lines(self) -> LineIndex:
        """Return the index of its lines."""
        return LineIndex(self.text)

    def problem(self, offset: int, rule: str, sentence: str) -> Problem:
        """Return a problem at a character of the file."""
        return Problem(self.display_path, *self.lines.position(offset), rule, sentence)


@dataclass(frozen=True)
class NamedQuery:
    """A query of a SQL file."""

    file: SqlFile
    start: int
    """The offset of its header."""
    name: str
    kind: str
    text_start: int
    text: str
    """The template of its statements."""
    description: str = ""
    returns: str | None = None
    """The tool whose rows or result it feeds."""
    nullable: tuple[str, ...] = ()
    """The names of the parameters that may be null."""

    @property
    def template(self) -> Template:
        """Return the template of its statements."""
        return parse_template(self.text)

    @property
    def function(self) -> str:
        """Return the name of its coroutine."""
        return Identifier(self.name)

    @property
    def constant(self) -> str:
        """Return the name of its constant."""
        return ConstantName(self.name)

    @property
    def row_class(self) -> str:
        """Return the name of the class of its rows."""
        return f"{ClassName(self.name)}Row"

    def problem(self, rule: str, sentence: str, offset: int | None = None) -> Problem:
        """Return a problem at a character of its template, or at its header."""
        return self.file.problem(self.start if offset is None else self.text_start + offset, rule, sentence)


def read_sql_file(path: Path, name: str, problems: list[Problem]) -> list[NamedQuery]:
    """Return the queries of a file, if there is one; the others' problems are added to the list."""
    content = read_contract_file(path, problems) if path.exists() else None
    file = _decode(content, path, name, problems) if content is not None else None
    if file is None:
        return []
    queries: dict[str, NamedQuery] = {}
    for found in _read_queries(file):
        faults = [found] if isinstance(found, Problem) else [*_check(found)]
        problems += faults
        if isinstance(found, NamedQuery) and (other := queries.get(found.row_class)):
            problems.append(found.problem("QUERY_NAME", f"there is a query {other.name} already; choose another name"))
        elif isinstance(found, NamedQuery) and not faults:
            queries[found.row_class] = found  # as x1 and x_1 have one
    return [*queries.values()]


def _decode(content: bytes, path: Path, name: str, problems: list[Problem]) -> SqlFile | None:
    """Return the file of a content; None where it is no text, which is then a problem."""
    if not check_size(content, display_path(path), problems):
        return None
    try:
        text = content.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        sentence = f"the file is not UTF-8 (byte {error.start}); save it as UTF-8"
        problems.append(Problem(display_path(path), 1, 1, "QUERY_HEADER", sentence))
        return None
    file = SqlFile(name, display_path(path), text)
    if (place := text.find("\0")) >= 0:
        sentence = "the file has a null character, at which PostgreSQL ends a statement; remove it"
        problems.append(file.problem(place, "QUERY_HEADER", sentence))
        return None
    return file


def _read_queries(file: SqlFile) -> Iterator[NamedQuery | Problem]:
    """Yield the queries of a file, and the headers that cannot be read."""
    heads = [*_NAME.finditer(file.text)]
    ends = [*(match.start() for match in heads), len(file.text)][1:]
    if not heads:
        sentence = "the file has no query; begin one with `-- name: get_thing :one`"
        yield file.problem(0, "QUERY_HEADER", sentence)
    for match, end in zip(heads, ends, strict=True):
        head = _NAME_AND_KIND.fullmatch(match["rest"].strip())
        if head is None or head["kind"] not in KINDS:
            kinds = ", ".join(f":{kind}" for kind in KINDS)
            sentence = f"a query begins with `-- name: get_thing :one`: a name in lower case, and one of {kinds}"
            yield file.problem(match.start(), "QUERY_HEADER", sentence)
        else:
            yield _read_query(file, match, head, end)


def _read_query(file: SqlFile, match: re.Match[str], head: re.Match[str], end: int) -> NamedQuery:
    at, comments = match.end() + 1, []
    while comment := _COMMENT.match(file.text, at, end):
        comments.append(comment["text"].strip())
        at = comment.end()
    directives = [(comment, _DIRECTIVE.fullmatch(comment)) for comment in comments]
    stated = {found["key"]: found["value"] for _, found in directives if found}
    return NamedQuery(
        file=file,
        start=match.start(),
        name=head["name"],
        kind=head["kind"],
        text_start=at,
        text=cut_statement(file.text[at:end]),
        description="\n".join(comment for comment, found in directives if not found).strip(),
        returns=stated.get("returns"),
        nullable=tuple(re.findall(r"\w+", stated.get("null", ""))),
    )


def _check(query: NamedQuery) -> Iterator[Problem]:
    """Yield the faults of a query that need no database."""
    template = query.template
    if not query.text:
        yield query.problem("QUERY_HEADER", f"the query {query.name} has no statement; write one below its comments")
    yield from _check_pieces(query)
    yield from _check_parameters(query)
    if template.count_variants() > MOST_VARIANTS:
        sentence = (
            f"{query.name} stands for {template.count_variants()} statements, and at most {MOST_VARIANTS} are checked; "
            "split it, or make some of its parameters required"
        )
        yield query.problem("QUERY_VARIANTS", sentence)


def _check_parameters(query: NamedQuery) -> Iterator[Problem]:
    """Yield the faults of parameters, and of the choices of lines."""
    template, known = query.template, {parameter.name for parameter in query.template.parameters}
    for parameter in template.parameters:
        if sentence := _find_name_fault(query, parameter.name) or _find_parameter_fault(template, parameter):
            yield query.problem("QUERY_PARAMETER", sentence, parameter.start)
    for name in template.choices:
        if sentence := _find_name_fault(query, name):
            yield query.problem("QUERY_PARAMETER", sentence)
    for name in query.nullable:
        if name not in known or name in template.optional:
            sentence = f"`null:` names {name}, which is no parameter of {query.name} that always has its line"
            yield query.problem("QUERY_PARAMETER", sentence)


def _check_pieces(query: NamedQuery) -> Iterator[Problem]:
    """Yield semicolons, parameters without a name, and comments that choose no line."""
    for end in query.template.ends:
        several = "a query is one statement; leave the semicolon out, or begin the next query with `-- name:`"
        yield query.problem("QUERY_HEADER", several, end)
    for number in query.template.numbers:
        yield query.problem("QUERY_PARAMETER", "a parameter has a name; write one such as :order_id", number)
    for comment in query.template.unread:
        yield query.problem("QUERY_PARAMETER", "the comment chooses no line; write `-- when :sort = newest`", comment)


def _find_name_fault(query: NamedQuery, name: str) -> str | None:
    """Return the sentence on a parameter or a choice that cannot have its name."""
    if query.kind == "page" and name in PAGE_PARAMETERS:
        return f"a page has the parameters limit and offset; leave :{name} out of the statement"
    if Identifier(name) == SOURCE:
        return f":{name} is what the coroutine calls the database; name the value otherwise"
    names = [*(parameter.name for parameter in query.template.parameters), *query.template.choices]
    if other := next((each for each in names if _is_other_of_name(each, name)), None):
        return f":{name} and :{other} have one name in Python, {Identifier(name)}; name one of them otherwise"
    return None


def _find_parameter_fault(template: Template, parameter: Parameter) -> str | None:
    """Return the sentence on a parameter that cannot stand where it stands."""
    name = parameter.name
    if name in template.choices:
        return f":{name} chooses lines, so it cannot be a value; name the value otherwise"
    if (name in template.optional) != parameter.is_optional:
        return f":{name} is optional on another line; write :{name}? here too"
    return None


def _is_other_of_name(name: str, other: str) -> bool:
    """Return whether two names are different ones of SQL, and one of Python."""
    return name != other and Identifier(name) == Identifier(other)
