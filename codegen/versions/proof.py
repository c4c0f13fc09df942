"""Whether everything that a version takes or gives can be carried to the next: proved, or refused with a witness."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from itertools import islice
from typing import Any

import jsonschema_rs

from codegen.diagnostics import Problem
from codegen.ir.version_steps import Step, Tokens, reverse_steps
from codegen.loading.documents import join_pointer
from codegen.loading.schema_nodes import Schema, select_keywords
from codegen.rules.schema import LONGEST
from codegen.schema_sets.containment import admits, compile_validator, covers
from codegen.schema_sets.samples import MAX_VALUES, boundary_values, minimal_value
from codegen.versions import schema_mapping, value_mapping
from codegen.versions.pointer_mapping import begins, destination
from codegen.versions.transition import Hop


@dataclass(frozen=True)
class Way:
    """The way on which calls use a hop: requests go up, results come down."""

    hop: Hop

    @property
    def up(self) -> bool:
        """Whether it leads to the newer version."""
        return self.hop.key == "parameters"

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """The steps in its direction."""
        return self.hop.steps if self.up else reverse_steps(self.hop.steps)

    @cached_property
    def start(self) -> Schema:
        """What sets out."""
        return self.hop.old if self.up else self.hop.new

    @cached_property
    def goal(self) -> Schema:
        """What may arrive."""
        return select_keywords(self.hop.new if self.up else self.hop.old)

    def arriving(self) -> Schema:
        """What arrives, and perhaps more."""
        start = schema_mapping.complete(self.start) if self.up else self.start
        return select_keywords(schema_mapping.image(start, self.steps, looked_up(self.steps, self.goal)))

    def candidates(self) -> Iterator[Any]:
        """Values that set out, boundary_values the limits of what may arrive."""
        back = reverse_steps(self.steps)
        guide = schema_mapping.image(self.goal, back, looked_up(back, self.start))
        admitted = select_keywords(self.start)
        return (value for value in islice(boundary_values(self.start, [guide]), MAX_VALUES) if admits(admitted, value))

    def carried(self, value: Any) -> Any:
        """What becomes of a value; a lookup is taken to say something plain that fits."""
        answers = {place: minimal_value(schema) for place, schema in looked_up(self.steps, self.goal).items()}
        return value_mapping.carried(
            value_mapping.complete(value, self.start) if self.up else value, self.steps, answers
        )


def looked_up(steps: Sequence[Step], goal: Schema) -> dict[Tokens, Schema]:
    """What lookups say fits where it arrives: the runtime sees to that."""
    return {
        step.target_tokens: schema_mapping.either(schema_mapping.schemas_at(goal, step.target_tokens))
        for step in steps
        if step.lookup
    }


class Kind(Enum):
    """Why something does not fit where it arrives."""

    STEP = "a step lacks that would fill a member, or take it away"
    OPEN = "a member that nobody named is not admitted"
    VALUE = "a value is not admitted"


@dataclass(frozen=True, slots=True)
class Reason:
    """What does not fit at a place, and why."""

    path: Tokens
    words: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class Loss:
    """A value that does not fit where it arrives."""

    witness: Any
    becomes: Any
    reasons: list[Reason]


def carrying_faults(hop: Hop) -> Iterator[Problem]:
    """What cannot be carried, a fault a place, with a value that shows it; or that nothing proves it can."""
    way = Way(hop)
    if covers(way.goal, way.arriving()):
        return
    found = lost(way)
    for place, loss in found.items():
        yield hop.view.problem(place, "REQUEST_LOST" if way.up else "RESULT_LOST", sentence(way, loss))
    if not found:
        said = f"every request of {hop.older.version}" if way.up else f"every result of {hop.newer.version}"
        to = hop.newer.version if way.up else hop.older.version
        yield hop.problem(
            "MAPPING_UNPROVED",
            f"nothing shows that {said} fits {to}, though none is known that does not; "
            'say in both versions what is alike in the same words, or let a "lookup" answer',
        )


def lost(way: Way) -> dict[str, Loss]:
    """Values that do not fit where they arrive, by the places of the contract to be mended."""
    found: dict[str, Loss] = {}
    for value in way.candidates():
        found = losses(way, value) | found
    return {place: shortened(way, place, loss) for place, loss in found.items()}


def losses(way: Way, value: Any) -> dict[str, Loss]:
    """Where one value does not fit, by the places of the contract to be mended."""
    arrived = way.carried(value)
    found: dict[str, Loss] = {}
    for error in compile_validator(way.goal).iter_errors(arrived):
        for reason in explained(way, error):
            found.setdefault(blamed(way, reason), Loss(value, arrived, [])).reasons.append(reason)
    return found


def shortened(way: Way, place: str, loss: Loss) -> Loss:
    """The same loss shown by a value whose texts are short, where a short text will do."""
    admitted = select_keywords(way.start)
    for name, part in loss.witness.items():
        shorter = {**loss.witness, name: "x"}
        if isinstance(part, str) and len(part) > 1 and admits(admitted, shorter):
            loss = losses(way, shorter).get(place, loss)
    return loss


def explained(way: Way, error: jsonschema_rs.ValidationError) -> Iterator[Reason]:
    """Where a value does not fit, and why."""
    path, facts = tuple(map(str, error.instance_path)), error.kind.as_dict()
    if error.kind.name == "required":
        here = (*path, facts["property"])
        yield Reason(here, f"{join_pointer('', *here)} is missing", Kind.STEP)
    elif error.kind.name == "additionalProperties":
        for name in facts["unexpected"]:
            here = (*path, name)
            origin = destination(reverse_steps(way.steps), here)
            named = origin is not None and schema_mapping.schemas_at(way.start, origin)
            yield Reason(here, f"{join_pointer('', *here)} is unknown", Kind.STEP if named else Kind.OPEN)
    else:
        yield Reason(path, f"at {join_pointer('', *path)}, {cut(error.message)}", Kind.VALUE)


def blamed(way: Way, reason: Reason) -> str:
    """The place of the contract to be mended: a step, the steps, or a schema of the newer version."""
    hop = way.hop
    owners = [index for index, step in enumerate(way.steps) if begins(reason.path, step.target_tokens)]
    if owners:
        return join_pointer(hop.pointer, max(owners, key=lambda index: len(way.steps[index].target_tokens)))
    path = reason.path[:-1] if reason.kind is Kind.OPEN else reason.path
    newer = path if way.up else destination(hop.steps, path)
    if reason.kind is Kind.STEP or newer is None:
        return hop.pointer
    keywords = ["items" if step.isdecimal() else f"properties/{join_pointer('', step)[1:]}" for step in newer]
    last = ["additionalProperties"] if reason.kind is Kind.OPEN else []
    return "/".join([f"{hop.newer.pointer}/{hop.key}", *keywords, *last])


def sentence(way: Way, loss: Loss) -> str:
    """What is lost, and how to mend it."""
    older, newer = way.hop.older.version, way.hop.newer.version
    said = f"{older} takes {shown(loss.witness)}" if way.up else f"{newer} gives {shown(loss.witness)}"
    becomes = "" if loss.becomes == loss.witness else f", which becomes {shown(loss.becomes)}"
    refused = f"{newer} refuses that" if way.up else f"{older} did not promise that"
    cure = {
        Kind.STEP: '"move", "add" or "drop" what differs',
        Kind.OPEN: f"let {newer} say the same of members that nobody named",
        Kind.VALUE: f'let {newer} agree, or let a "lookup" answer',
    }[loss.reasons[0].kind]
    return f"{said}{becomes}; {refused}: {'; '.join(dict.fromkeys(each.words for each in loss.reasons))}; {cure}"


def shown(value: Any) -> str:
    """A value as JSON, cut where it is long."""
    return cut(json.dumps(value, ensure_ascii=False))


def cut(words: str) -> str:
    """A text that is not too long for a sentence."""
    return words if len(words) <= LONGEST else f"{words[:LONGEST]}..."
