"""The requests and results of moex-iss-mcp.

Generated from contracts/moex/iss.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field


class GetSecuritySnapshotRequest(BaseModel):
    """What get_security_snapshot takes."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        use_attribute_docstrings=True,
    )
    ticker: Annotated[str, Field(max_length=16, min_length=1)]
    """Security ticker, e.g. 'SBER'."""
    board: Annotated[str, Field(max_length=16, min_length=1)] = "TQBR"
    """MOEX board, e.g. 'TQBR'."""


class GetSecuritySnapshotResultMetadata(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        use_attribute_docstrings=True,
    )
    source: Literal["moex-iss"]
    ticker: str
    board: str
    as_of: AwareDatetime


class GetSecuritySnapshotResultData(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
        frozen=True,
        use_attribute_docstrings=True,
    )
    last_price: int | float
    price_change_abs: int | float
    price_change_pct: int | float
    open_price: int | float | None = None
    high_price: int | float | None = None
    low_price: int | float | None = None
    volume: int | float | None = None
    value: int | float | None = None


class GetSecuritySnapshotResultMetrics(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
        frozen=True,
        use_attribute_docstrings=True,
    )
    intraday_volatility_estimate: int | float | None = None


class GetSecuritySnapshotResultError(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
        frozen=True,
        use_attribute_docstrings=True,
    )
    error_type: str
    message: str
    details: Any | None = None


class GetSecuritySnapshotResult(BaseModel):
    """What get_security_snapshot gives."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        use_attribute_docstrings=True,
    )
    metadata: GetSecuritySnapshotResultMetadata
    data: GetSecuritySnapshotResultData
    metrics: GetSecuritySnapshotResultMetrics | None = None
    error: GetSecuritySnapshotResultError | None = None
