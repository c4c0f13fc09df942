"""A file with the digests of several callers' tokens, which may change while a server runs."""

from __future__ import annotations

import hmac
import logging
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from toolaccord.handler import Caller
from toolaccord.key_files import find_version
from toolaccord.timing.clock import Clock

_LOG = logging.getLogger(__name__)
_LOOK_AGAIN_S = 1.0
"""Seconds after which the file is looked at again."""


_Digest = Annotated[str, Field(pattern="^[0-9a-fA-F]{64}$")]


class _Entry(BaseModel):
    """A caller of the file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    sha256: tuple[_Digest, ...] = Field(min_length=1)
    """The digests of its tokens in hexadecimal digits; several while a token is replaced."""
    scopes: tuple[str, ...] = ()
    expires_on: date | None = None
    """The last day of its tokens, in UTC."""


class _Content(BaseModel):
    """The content of the file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    callers: dict[str, _Entry]

    @model_validator(mode="after")
    def _check_owners(self) -> Self:
        """Reject a token of two callers, which would name either."""
        owners = Counter(digest.lower() for entry in self.callers.values() for digest in {*entry.sha256})
        if any(number > 1 for number in owners.values()):
            raise ValueError("two callers have one token; give each its own")
        return self


@dataclass(slots=True)
class TokenFile:
    """The callers of a file, which is read again when it changes.

    A file that cannot be read any more leaves the callers as they were, and is logged once.
    """

    path: Path
    _clock: Clock
    _entries: Mapping[str, _Entry] = field(default_factory=dict)
    _version: tuple[int, ...] = ()
    """The times, size and inode of what was read last."""
    _looked_at: float | None = None

    @classmethod
    def open(cls, path: Path, clock: Clock) -> TokenFile:
        """Return the callers of a file. Raises ValueError for a file that cannot be read."""
        found = cls(path, clock)
        found._version = find_version(path)
        found._entries = found._read()
        return found

    def find(self, token: bytes) -> Caller | None:
        """Return the caller with a *token* that has not expired; None for an unknown one."""
        self._refresh(self._clock.monotonic())
        sent, found = sha256(token).hexdigest(), None
        for name, entry in self._entries.items():
            for digest in entry.sha256:
                if hmac.compare_digest(sent, digest.lower()):
                    found = name, entry
        if found is None or _is_over(found[1], self._clock.now()):
            return None
        name, entry = found
        return Caller(subject=name, scopes=frozenset(entry.scopes), expires_at=_end_of(entry))

    def _refresh(self, now: float) -> None:
        """Read the file again if it has changed since."""
        if self._looked_at is not None and now - self._looked_at < _LOOK_AGAIN_S:
            return
        self._looked_at, version = now, find_version(self.path)
        if version == self._version:
            return
        self._version = version
        try:
            self._entries = self._read()
            _LOG.info("%s was read again: %d callers", self.path, len(self._entries))
        except ValueError as error:
            _LOG.error("the callers stay as they were: %s", error)

    def _read(self) -> Mapping[str, _Entry]:
        """Return the callers by name. Raises ValueError, without any part of the file's values."""
        try:
            return _Content.model_validate_json(self.path.read_bytes()).callers
        except OSError as error:
            raise ValueError(f"{self.path} cannot be read: {error.strerror}") from error
        except ValidationError as error:
            first = error.errors(include_input=False, include_url=False)[0]
            place = ".".join(map(str, first["loc"])) or "the file"
            raise ValueError(f"{self.path} is no file of callers: {place}: {first['msg']}") from error


def _is_over(entry: _Entry, now: datetime) -> bool:
    end = _end_of(entry)
    return end is not None and now.timestamp() >= end


def _end_of(entry: _Entry) -> float | None:
    """Return the end of the last day, in seconds since 1970."""
    if entry.expires_on is None:
        return None
    after = datetime.combine(entry.expires_on, datetime.min.time(), UTC) + timedelta(days=1)
    return after.timestamp()
