"""The base class of generated models."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class ContractModel(BaseModel):
    """A frozen record that a contract describes.

    It rejects members that the contract does not name. Its validator is built at its first use, so that servers start
    faster. Numbers that are not finite stay themselves in its JSON text, and are rejected there; null would hide them.
    """

    model_config = ConfigDict(
        extra="forbid", frozen=True, populate_by_name=True, defer_build=True, ser_json_inf_nan="constants"
    )
