"""Settings of servers and agents."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

if TYPE_CHECKING:
    from toolaccord.contract.constraints import Beside, Constraint, Counts, Judged
    from toolaccord.contract.setting_schemas import SettingSchema
    from toolaccord.contract.texts import Flag, KeyName, Text

SettingValue: TypeAlias = str | int | float | bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """A value from the environment."""

    name: KeyName
    """The name in contract and handlers."""
    env: Annotated[str, Constraint(pattern=r"^[A-Z][A-Z0-9_]*$"), Counts("SETTING_ENV_CHANGED", subject="")]
    """Name of the environment variable."""
    description: Annotated[Text, Counts("DESCRIPTION_CHANGED", subject="")]
    """Purpose of the setting; shown by --help and in the error about a missing setting."""
    schema: Annotated[dict[str, Any], Beside(SettingSchema), Judged("by the texts that it admits")]
    """The JSON Schema of the value; `type` is one of string, integer, number, boolean."""
    default: Annotated[str | int | float | bool, Judged("with required")] | None = None
    """Value if the variable is not set."""
    required: Annotated[Flag, Judged("with default")] = False
    """If true, the server does not start without it."""
    secret: Annotated[bool, Counts(added="SETTING_HIDDEN", removed="SETTING_EXPOSED")] = False
    """If true, the value never appears in a log, an error or --help."""

    @property
    def is_prompted(self) -> bool:
        """True where a host should prompt its user for the value."""
        return self.required or self.secret


def name_override(holder: str, key: str) -> str:
    """Return the variable that overrides a number of a tool or a source."""
    return re.sub(r"[^A-Z0-9]", "_", f"{holder}_{key}".upper())
