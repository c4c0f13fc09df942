"""Typed client of strategy-db-mcp.

Generated from contracts/tradestream/strategy_db.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from typing import ClassVar, Final, Protocol, Unpack

from generated import dialects
from generated.tradestream import errors
from generated.tradestream.strategy_db import models, schemas
from toolaccord import Accepted, Cancelled, Declined
from toolaccord.client.base import CallOptions, ServerClient, WriteOptions
from toolaccord.client.declarations import (
    AskAnswers,
    Completed,
    PagedTool,
    RemoteCompletion,
    RemoteResource,
    RemoteServer,
    RemoteTool,
)
from toolaccord.contract.policies import When
from toolaccord.declarations.causes import DeclaredError

GET_TOP_SPECS: Final = PagedTool(
    name="get_top_specs",
    request=models.GetTopSpecsRequest,
    result=models.GetTopSpecsResult,
    errors=(
        DeclaredError(errors.InvalidSource, When(at=("/source",))),
        DeclaredError(errors.DatabaseError, When(occasion="source")),
    ),
    timeout_s=10.0,
    parameters=schemas.GET_TOP_SPECS_PARAMETERS,
    version="1.1.3",
    cache_bypass="force_refresh",
)

GET_IMPLEMENTATIONS: Final = PagedTool(
    name="get_implementations",
    request=models.GetImplementationsRequest,
    result=models.GetImplementationsResult,
    errors=(
        DeclaredError(errors.SpecNotFound),
        DeclaredError(errors.InvalidStatus, When(at=("/status",))),
        DeclaredError(errors.DatabaseError, When(occasion="source")),
    ),
    timeout_s=10.0,
    parameters=schemas.GET_IMPLEMENTATIONS_PARAMETERS,
    version="1.2.2",
    cache_bypass="force_refresh",
)

SUBMIT_NEW_SPEC: Final = RemoteTool(
    name="submit_new_spec",
    request=models.SubmitNewSpecRequest,
    result=models.SubmitNewSpecResult,
    errors=(
        DeclaredError(errors.InvalidName, When(at=("/name",))),
        DeclaredError(errors.DuplicateName),
        DeclaredError(errors.InvalidIndicators, When(at=("/indicators",), keyword="enum")),
        DeclaredError(errors.InvalidConditions, When(at=("/entry_conditions", "/exit_conditions"))),
        DeclaredError(
            errors.SchemaValidationError, When(at=("/description", "/indicators", "/parameters", "/reasoning"))
        ),
        DeclaredError(errors.DatabaseError, When(occasion="source")),
    ),
    timeout_s=10.0,
    parameters=schemas.SUBMIT_NEW_SPEC_PARAMETERS,
    version="1.5.0",
    writes=True,
)

READ_SPECS: Final = RemoteResource(
    name="resources/read specs",
    address="strategy://specs",
    result=models.ReadSpecsResult,
    errors=(DeclaredError(errors.DatabaseError, When(occasion="source")),),
    timeout_s=10.0,
)

READ_SPEC: Final = RemoteResource(
    name="resources/read spec",
    address="strategy://specs/{name}",
    result=models.ReadSpecResult,
    errors=(DeclaredError(errors.DatabaseError, When(occasion="source")),),
    timeout_s=10.0,
)

COMPLETE_SPEC_NAME: Final = RemoteCompletion(
    name="completion/complete spec name",
    uri_template="strategy://specs/{name}",
    member="name",
    errors=(DeclaredError(errors.DatabaseError, When(occasion="source")),),
    timeout_s=10.0,
)

READ_INDICATORS: Final = RemoteResource(
    name="resources/read indicators",
    address="strategy://indicators",
    result=models.ReadIndicatorsResult,
    timeout_s=10.0,
)


class StrategyDbAnswers(Protocol):
    """Answers to the questions of the server; each takes the message."""

    async def near_copy(self, message: str, /) -> Accepted[models.NearCopyAnswer] | Declined | Cancelled:
        """Ask if a spec shall be stored that nearly repeats another one."""


def answer_asks(answers: StrategyDbAnswers) -> AskAnswers:
    """Return *answers* as the option `answers` of a client."""
    return AskAnswers(
        elicitation={
            "near_copy": answers.near_copy,
        },
        sampling={},
        roots={},
    )


class StrategyDbClient(ServerClient):
    """Client of strategy-db-mcp.

    Strategy specs and implementations for the Learning Agent, in PostgreSQL.
    """

    _server: ClassVar = RemoteServer(
        name="strategy-db-mcp",
        module="generated.tradestream.strategy_db",
        dialect=dialects.TRADESTREAM,
    )

    async def get_top_specs(
        self, request: models.GetTopSpecsRequest, **options: Unpack[CallOptions]
    ) -> models.GetTopSpecsResult:
        """Get top performing strategy specs.

        May raise:
        * InvalidSource: Source filter must be CANONICAL, LLM_GENERATED, or ALL.
        * DatabaseError: Database connection or query failed.
        """
        return (await self.call(GET_TOP_SPECS, request, **options)).result

    async def get_implementations(
        self, request: models.GetImplementationsRequest, **options: Unpack[CallOptions]
    ) -> models.GetImplementationsResult:
        """Get implementations for a strategy spec.

        May raise:
        * SpecNotFound: Strategy spec with specified ID does not exist.
        * InvalidStatus: Status filter is not valid.
        * DatabaseError: Database connection or query failed.
        """
        return (await self.call(GET_IMPLEMENTATIONS, request, **options)).result

    async def submit_new_spec(
        self, request: models.SubmitNewSpecRequest, **options: Unpack[WriteOptions]
    ) -> models.SubmitNewSpecResult:
        """Submit a new strategy spec generated by the Learning Agent.

        May raise:
        * InvalidName: Spec name is missing or invalid.
        * DuplicateName: A spec with this name already exists.
        * InvalidIndicators: One or more indicators are not recognized.
        * InvalidConditions: Entry or exit conditions are malformed.
        * SchemaValidationError: Spec does not conform to required schema.
        * DatabaseError: Database connection or query failed.
        """
        return (await self.call(SUBMIT_NEW_SPEC, request, **options)).result

    async def read_specs(self, **options: Unpack[CallOptions]) -> models.ReadSpecsResult:
        """Names and sources of all strategy specs, the newest first.

        Read one as strategy://specs/{name}.

        May raise:
        * DatabaseError: Database connection or query failed.
        """
        return (await self.read(READ_SPECS, **options)).result

    async def read_spec(self, request: models.ReadSpecRequest, **options: Unpack[CallOptions]) -> models.ReadSpecResult:
        """Strategy spec.

        A strategy spec: its indicators, the rules to enter and to exit, its parameters and the reasoning behind it.

        May raise:
        * DatabaseError: Database connection or query failed.
        """
        return (await self.read(READ_SPEC, request, **options)).result

    async def complete_spec_name(self, prefix: str, **options: Unpack[CallOptions]) -> Completed:
        """Return values of name that complete *prefix*.

        The value is a variable of the resource spec.
        """
        return (await self.complete(COMPLETE_SPEC_NAME, prefix, **options)).result

    async def read_indicators(self, **options: Unpack[CallOptions]) -> models.ReadIndicatorsResult:
        """Registry of indicators.

        Kinds of indicators and rules that a spec may have, and names of built-in strategies, which no spec may take.
        """
        return (await self.read(READ_INDICATORS, **options)).result
