"""Models that several servers share.

Generated from contracts/shared.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from toolaccord.contract_model import ContractModel


class Pagination(ContractModel):
    """Position of a page in the whole list."""

    offset: Annotated[int, Field(ge=0)]
    """Number of skipped items"""
    limit: Annotated[int, Field(ge=1)]
    """Maximum number of items in a page"""
    total: Annotated[int, Field(ge=0)]
    """Number of items in the whole list"""
    has_more: bool
    """True if items follow this page"""
