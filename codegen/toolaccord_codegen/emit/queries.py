"""The module of a server's queries: rows, statements and a coroutine for each query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from toolaccord_codegen.emit.templating import render_template
from toolaccord_codegen.ir.contract import Contract
from toolaccord_codegen.ir.layout import Layout
from toolaccord_codegen.naming import Identifier, format_docstring
from toolaccord_codegen.queries.described import DescribedQuery
from toolaccord_codegen.queries.descriptions import Column
from toolaccord_codegen.queries.files import PAGE_PARAMETERS
from toolaccord_codegen.queries.python_types import annotate_column, annotate_parameter, may_be_infinite


@dataclass(frozen=True, slots=True)
class QueryCode:
    """Parts of the code of a query."""

    described: DescribedQuery

    @property
    def fields(self) -> list[tuple[str, str]]:
        """Return the fields of its rows with their types; none where a row is a value."""
        columns = self._columns
        return [(column.name, annotate_column(column)) for column in columns] if len(columns) > 1 else []

    @property
    def row(self) -> str:
        """Return the type of a row."""
        if self.fields:
            return self.described.query.row_class
        return annotate_column(self._columns[0]) if self._columns else "None"

    @property
    def make(self) -> str:
        """Return the function that makes a row of values."""
        return f"{self.described.query.row_class}._make" if self.fields else "_first_value"

    @property
    def finite(self) -> tuple[int, ...]:
        """Return the indexes of the columns that may hold what JSON lacks."""
        return tuple(index for index, column in enumerate(self._columns) if may_be_infinite(column))

    @property
    def method(self) -> str:
        """Return the method of Query that runs it."""
        return {"exec": "execute"}.get(self.described.query.kind, self.described.query.kind)

    @property
    def returned(self) -> str:
        """Return the type of its result."""
        kinds = {"exec": "None", "single": self.row, "many": f"list[{self.row}]", "page": f"Page[{self.row}]"}
        optional = self.row if self.row.endswith("| None") else f"{self.row} | None"
        return kinds.get(self.described.query.kind, optional)

    @property
    def parameters(self) -> list[tuple[str, str, str]]:
        """Return each parameter with its type and its default, as code."""
        query, template = self.described.query, self.described.query.template
        found = []
        for name, kind in self.described.description.parameters.items():
            is_optional = name in template.optional
            annotation = annotate_parameter(kind, may_be_none=is_optional or name in query.nullable)
            annotation = "int" if query.kind == "page" and name in PAGE_PARAMETERS else annotation
            found.append((name, annotation, " = None" if is_optional else ""))
        for name, choices in template.choices.items():
            found.append((name, f"Literal[{', '.join(map(repr, choices))}]", ""))
        return [(Identifier(name), annotation, default) for name, annotation, default in found]

    @property
    def docstring(self) -> str:
        """Return its docstring."""
        query = self.described.query
        return format_docstring(query.description or f"Run the query {query.name}.")

    @property
    def text(self) -> str:
        """Return the template of its statements as a literal of several lines."""
        escaped = self.described.query.text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
        return f'"""\n{escaped}\n"""'

    @property
    def names(self) -> list[tuple[str, str]]:
        """Return each parameter as the statement and as Python name it."""
        names = [*self.described.description.parameters, *self.described.query.template.choices]
        return [(name, Identifier(name)) for name in names]

    @property
    def _columns(self) -> Sequence[Column]:
        return self.described.description.columns if self.described.query.kind != "exec" else ()


def render_queries(contract: Contract, queries: Sequence[DescribedQuery], layout: Layout) -> dict[str, str]:
    """Render the module of a server's queries; nothing for a server without them."""
    if not queries:
        return {}
    title = f"Queries of {contract.name}.\n\n" + layout.header_of(
        f"{layout.handlers.replace('.', '/')}/{queries[0].query.file.name}"
    )
    text = render_template("queries.py", layout, title=title, queries=[QueryCode(each) for each in queries])
    return {f"{contract.system}/{contract.module}/queries.py": text}
