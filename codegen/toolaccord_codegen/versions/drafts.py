"""Draft the steps from a version of a tool to the next one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from toolaccord.contract.tools import DeclaredStep
from toolaccord.semantics.json_pointers import join_pointer
from toolaccord.semantics.version_steps import EACH, StepMapping, Tokens, invert
from toolaccord_codegen.ir.shared_records import build_step
from toolaccord_codegen.loading.records import read_record
from toolaccord_codegen.loading.references import as_array, as_object
from toolaccord_codegen.loading.schema_nodes import Schema
from toolaccord_codegen.rules.tool_view import ToolView, VersionView
from toolaccord_codegen.schema_sets.samples import minimal_value
from toolaccord_codegen.versions.proof import MismatchKind, find_counterexamples
from toolaccord_codegen.versions.transition import NOUNS, Key, Transition

Draft = dict[str, Any]
"""A step, as a contract has it."""
SIMILAR = 0.5
"""Least similarity of the names of a member that moved and changed."""
ROUNDS = 8
"""Most repairs of drafted steps."""


def draft_mapping(view: ToolView, older: VersionView) -> dict[str, list[Draft]]:
    """Draft `to_next` of a version that the newest one of a tool replaces.

    The differences of the schemas give the steps. A counterexample to them adds a lookup, which an author writes.
    """
    mapping: dict[str, list[Draft]] = {}
    for key in NOUNS:
        if key == "parameters" or older.returns or view.newest.returns:
            comparison = _Comparison(key, _list_examples(older, key), _list_examples(view.newest, key))
            steps = list(comparison.compare(older.schema(key), view.newest.schema(key)))
            mapping[key] = _repair(view, older, key, steps)
    return mapping


@dataclass(frozen=True, slots=True)
class _Comparison:
    """The comparison of two versions' arguments or results."""

    key: Key
    old_examples: list[Any]
    new_examples: list[Any]

    def compare(self, old: Schema, new: Schema, was: Tokens = (), now: Tokens = ()) -> Iterator[Draft]:
        """Yield the steps for the differences of two schemas at their paths."""
        before, after = as_object(old.get("properties")), as_object(new.get("properties"))
        moves = {name: name for name in before if name in after} | _find_moves(before, after)
        for name, target in moves.items():
            yield from self._compare_member(before[name], after[target], (*was, name), (*now, target))
        for name in before.keys() - moves.keys():
            step: Draft = {"drop": join_pointer("", *was, name)}
            if self.key == "returns" and name in as_array(old.get("required")):
                step["default"] = minimal_value(before[name], _find_value(self.old_examples, (*was, name)))
            yield step
        for name in after.keys() - moves.keys() - set(moves.values()):
            member = as_object(after[name])
            if self.key == "returns" or (name in as_array(new.get("required")) and "default" not in member):
                value = minimal_value(member, _find_value(self.new_examples, (*now, name)))
                yield {"add": join_pointer("", *now, name), "value": member.get("default", value)}
        if isinstance(old.get("items"), dict) and isinstance(new.get("items"), dict):
            yield from self.compare(old["items"], new["items"], (*was, EACH), (*now, EACH))

    def _compare_member(self, old: Schema, new: Schema, was: Tokens, now: Tokens) -> Iterator[Draft]:
        """Yield the step that moves a member, and those below it."""
        values = _rename_values(old, new)
        if was[-1] != now[-1] or values:
            step: Draft = {"move": join_pointer("", *was), "to": join_pointer("", *now)}
            yield {**step, "values": values} if values else step
        yield from self.compare(old, new, was, now)


def _list_examples(version: VersionView, key: Key) -> list[Any]:
    """Return the arguments or the results of a version's examples."""
    name = "arguments" if key == "parameters" else "returns"
    return [getattr(each, name, None) for each in getattr(version.declared, "examples", ())]


def _find_value(examples: list[Any], path: Tokens) -> Any:
    """Return the value at a path of the first example that has one; None without one."""
    found = examples
    for token in path:
        members = [as_array(each) if token == EACH else [as_object(each).get(token)] for each in found]
        found = [each for member in members for each in member]
    return next((each for each in found if each is not None), None)


def _find_moves(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, str]:
    """Return the members that have another name, those with the most similar names first."""
    gone = [name for name in before if name not in after]
    come = [name for name in after if name not in before]
    pairs = sorted(
        ((_likeness(name, before[name], other, after[other]), name, other) for name in gone for other in come),
        key=lambda pair: -pair[0],
    )
    moves: dict[str, str] = {}
    for likeness, name, other in pairs:
        if likeness and name not in moves and other not in moves.values():
            moves[name] = other
    return moves


def _likeness(name: str, old: Schema, other: str, new: Schema) -> float:
    """Return the likeness of two members; 0 where one is hardly the other under another name."""
    ratio = SequenceMatcher(None, name, other, autojunk=False).ratio()
    is_equal = _without_words(old) == _without_words(new)
    is_possible = old.get("type") == new.get("type") and (is_equal or ratio >= SIMILAR)
    return ratio + is_equal if is_possible else 0.0


def _without_words(schema: Schema) -> Draft:
    """Return a schema without its title and description."""
    return {key: part for key, part in schema.items() if key not in {"title", "description"}}


def _rename_values(old: Schema, new: Schema) -> dict[str, str]:
    """Return the renamed texts of an enum, in their order; empty where the numbers differ."""
    before, after = as_array(old.get("enum")), as_array(new.get("enum"))
    gone = [value for value in before if value not in after]
    come = [value for value in after if value not in before]
    are_texts = all(isinstance(value, str) for value in (*before, *after))
    return dict(zip(gone, come, strict=True)) if are_texts and len(gone) == len(come) else {}


def _repair(view: ToolView, older: VersionView, key: Key, steps: list[Draft]) -> list[Draft]:
    """Return steps with lookups where a value would not fit, as far as counterexamples show it."""
    for _ in range(ROUNDS):
        transition = Transition(
            view, older, view.newest, key, tuple(build_step(read_record(DeclaredStep, step)) for step in steps)
        )
        examples = find_counterexamples(transition).values()
        paths = {
            tuple(EACH if token.isdecimal() else token for token in mismatch.path)
            for example in examples
            for mismatch in example.mismatches
            if mismatch.kind is MismatchKind.VALUE and mismatch.path
        }
        repaired = steps
        for path in sorted(paths):
            repaired = _look_up(transition, repaired, path)
        if repaired == steps:
            break
        steps = repaired
    return steps


def _look_up(transition: Transition, steps: list[Draft], path: Tokens) -> list[Draft]:
    """Return steps with a lookup, which computes the value at a path of the target."""
    was = StepMapping(invert(transition.steps)).map_path(path) if transition.is_upgrade else path
    now = path if transition.is_upgrade else StepMapping(transition.steps).map_path(path)
    if was is None or now is None or was[-1] == EACH:
        return steps
    source, target = join_pointer("", *was), join_pointer("", *now)
    step = {"move": source, "to": target, "lookup": _name_lookup(was[-1], now[-1])}
    others = [each for each in steps if each.get("move") != source]
    return [*others, step]


def _name_lookup(old: str, new: str) -> str:
    """Return the name of a lookup function."""
    before, after = (re.sub(r"[^a-z0-9_]", "_", name.lower()) for name in (old, new))
    return f"converted_{after}" if before == after else f"{after}_of_{before}"
