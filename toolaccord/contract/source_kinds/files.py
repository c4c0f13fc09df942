"""Files that handlers use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

if TYPE_CHECKING:
    from toolaccord.contract.constraints import Constraint, Required
    from toolaccord.contract.texts import Bytes, KeyName, SettingName, SnakeName


@dataclass(frozen=True, slots=True, kw_only=True)
class FilesSource:
    """Small files that other programs write, each read whole. A missing file is no fault."""

    name: KeyName
    kind: Annotated[Literal["files"], Required()] = "files"
    paths: Annotated[Mapping[SnakeName, SettingName], Constraint(minProperties=1)]
    """Settings with the paths, by the name with which handlers read a file."""
    max_bytes: Bytes = 65536
    """Maximum size of a file in bytes."""
