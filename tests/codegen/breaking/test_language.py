"""Check that every key of the contract language says how its changes count."""

from collections.abc import Iterator
from dataclasses import is_dataclass
from typing import Any, get_args

from toolaccord.contract.agent_contracts import AgentContract
from toolaccord.contract.constraints import Counts, Definition, Judged, Uncounted
from toolaccord.contract.dialects import Dialect
from toolaccord.contract.server_contracts import ServerContract
from toolaccord_codegen.breaking.catalog import RULES
from toolaccord_codegen.loading.record_keys import Key, find_mark, list_alternatives, list_keys, split_marks

SCHEMAS = {"Schema", "TextArguments"}
"""Names of types that are JSON Schemas, which are compared as sets of values."""


def list_marks(key: Key) -> list[Any]:
    """List what a key says of its changes."""
    return [mark for mark in split_marks(key.hint)[1] if isinstance(mark, Counts | Judged | Uncounted)]


def list_records(key: Key) -> list[type]:
    """List the records that are values of a key, or items of its values."""
    base, _ = split_marks(key.hint)
    inside = [base, *(split_marks(each)[0] for each in get_args(base))]
    return [
        each for hint in inside for each in list_alternatives(hint) if isinstance(each, type) and is_dataclass(each)
    ]


def is_schema(key: Key) -> bool:
    """Return True for a key with a JSON Schema."""
    definition = find_mark(key.hint, Definition)
    return definition is not None and definition.name in SCHEMAS


def list_compared(record: type) -> Iterator[tuple[str, Key]]:
    """Yield the keys of a record, and of those inside it that are compared key by key."""
    for key in list_keys(record):
        yield record.__name__, key
        counted = [mark for mark in list_marks(key) if not (isinstance(mark, Counts) and not mark.changed)]
        for inner in list_records(key) if not counted else ():
            yield from list_compared(inner)


COMPARED = [each for root in (ServerContract, AgentContract, Dialect) for each in list_compared(root)]


def test_every_key_of_the_language_says_how_its_changes_count() -> None:
    silent = [f"{record}.{key.name}" for record, key in COMPARED if not (list_marks(key) or list_records(key))]
    schemas = {f"{record}.{key.name}" for record, key in COMPARED if is_schema(key)}
    assert set(silent) <= schemas, "say it with Counts, Judged or Uncounted"


def test_keys_count_by_rules_of_the_catalogue() -> None:
    named = {rule for _, key in COMPARED for mark in list_marks(key) if isinstance(mark, Counts) for rule in mark.rules}
    assert named <= set(RULES)


def test_a_key_whose_number_counts_as_raised_counts_as_lowered_too() -> None:
    marks = [mark for _, key in COMPARED for mark in list_marks(key) if isinstance(mark, Counts)]
    assert [mark for mark in marks if bool(mark.raised) is not bool(mark.lowered)] == []
