"""Events that tools and agents publish."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

if TYPE_CHECKING:
    from toolaccord.contract.constraints import Constraint, Counts, Judged, Required
    from toolaccord.contract.texts import KeyName, Pointer, Schema, Text


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """A message for whoever subscribes to it.

    On a zmq_pub source it has neither a subject nor a channel.
    """

    name: KeyName
    description: Annotated[Text, Required(), Counts("DESCRIPTION_CHANGED", subject="")] = ""
    """Meaning of the event, for its subscribers."""
    source: Annotated[str, Counts("EVENT_DELIVERY_CHANGED")]
    """Source that carries the event."""
    subject: (
        Annotated[
            str,
            Constraint(pattern=r"^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$", maxLength=255),
            Counts("EVENT_DELIVERY_CHANGED"),
        ]
        | None
    ) = None
    """Subject of a nats source. publish returns when the subject's stream has stored the event."""
    channel: Annotated[str, Constraint(pattern=r"^\S+$", maxLength=255), Counts("EVENT_DELIVERY_CHANGED")] | None = None
    """Channel of a redis source, which delivers to current subscribers only."""
    duplicate_window_s: (
        Annotated[
            int,
            Constraint(minimum=1, maximum=31536000),
            Counts(raised="EVENT_WINDOW_EXTENDED", lowered="EVENT_WINDOW_SHORTENED", unsaid=0),
        ]
        | None
    ) = None
    """Seconds in which a channel carries the event of one id only once.

    A stream has a window of its own.
    """
    encoding: Annotated[Literal["json", "s_expression"], Required(), Counts("EVENT_DELIVERY_CHANGED")] = "json"
    """Encoding of the payload. s_expression: objects are lists of dotted pairs."""
    symbols: Annotated[tuple[Pointer, ...], Constraint(minItems=1, uniqueItems=True), Judged("as a set")] = ()
    """Pointers to the strings that an s_expression holds as symbols, without quotes; * is every
    item of an array. Each leads to an enum or a const.
    """
    payload: Schema
    """Schema of the payload. A payload that violates it is not published."""
