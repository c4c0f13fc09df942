"""The tools and resources of strategy-db-mcp: specs and implementations, on PostgreSQL."""

from generated.tradestream.errors import SpecNotFound
from generated.tradestream.strategy_db import queries
from generated.tradestream.strategy_db.models import (
    GetImplementationsRequest,
    GetTopSpecsRequest,
    ReadIndicatorsRequest,
    ReadIndicatorsResult,
    ReadSpecRequest,
    ReadSpecResult,
    ReadSpecsRequest,
    ReadSpecsResult,
    ReadSpecsResultSpecsItem,
    SubmitNewSpecRequest,
    SubmitNewSpecResult,
)
from generated.tradestream.strategy_db.schemas import SUBMIT_NEW_SPEC_PARAMETERS
from generated.tradestream.strategy_db.server import GetImplementationsCall, GetTopSpecsCall, StrategyDbCall
from handlers.tradestream.identifiers import not_found_message, parse_identifier
from handlers.tradestream.registry import PRICES, RULES, STRATEGIES
from handlers.tradestream.spec_forms import normalise_spec
from handlers.tradestream.specs import build_error, check_spec, find_warnings, name_taken
from toolaccord import Accepted, Page, ResourceNotFound
from toolaccord.json_values import JsonObject
from toolaccord.sources.postgresql import Statements
from toolaccord.sources.postgresql.idempotency import once

ALL = "ALL"

LISTED_SPECS = 1000
"""Names in the resource of all specs."""


async def get_top_specs(request: GetTopSpecsRequest, call: GetTopSpecsCall) -> Page[queries.TopSpecsRow]:
    """Return the specs by their implementations' mean forward Sharpe ratio, best first.

    Unmeasured specs are last.
    """
    source = None if request.source == ALL else request.source
    return await queries.top_specs(call.postgres, source=source, limit=request.limit, offset=request.offset)


async def get_implementations(
    request: GetImplementationsRequest, call: GetImplementationsCall
) -> Page[queries.ImplementationsRow]:
    """Return the implementations of a spec, best forward Sharpe ratio first, unmeasured last."""
    spec_id, status = parse_identifier(request.spec_id), None if request.status == ALL else request.status
    if spec_id is not None:
        page = await queries.implementations(
            call.postgres, spec_id=spec_id, status=status, limit=request.limit, offset=request.offset
        )
        if page.total or await queries.is_spec(call.postgres, spec_id=spec_id):
            return page
    raise SpecNotFound(not_found_message("Spec", request.spec_id), spec_id=request.spec_id)


async def submit_new_spec(request: SubmitNewSpecRequest, call: StrategyDbCall) -> SubmitNewSpecResult:
    """Store a new spec in its normalised form, and return its id after the commit.

    A repeated call with the same idempotency key creates nothing. A caller that can be asked decides on a spec that
    nearly repeats another one. Raises the error of the first finding in the contract's order; its details list all
    findings.
    """
    if refused := await _refuse_near_copy(request, call):
        return refused
    async with call.postgres.transaction() as statements:

        async def write() -> JsonObject:
            return await _submit(request, call, statements)

        answer = await once(statements, call.idempotency, call.now, write)
    call.changed.specs()
    return SubmitNewSpecResult.model_validate(answer)


async def read_specs(_request: ReadSpecsRequest, call: StrategyDbCall) -> ReadSpecsResult:
    """Return the names of the newest specs."""
    page = await queries.specs(call.postgres, limit=LISTED_SPECS, offset=0)
    specs = [ReadSpecsResultSpecsItem(name=row.name, source=row.source) for row in page.items]
    return ReadSpecsResult(total=page.total, specs=specs)


async def read_spec(request: ReadSpecRequest, call: StrategyDbCall) -> ReadSpecResult:
    """Return a spec by its name. Raises ResourceNotFound."""
    row = await queries.spec(call.postgres, name=request.name)
    if row is None:
        raise ResourceNotFound("There is no spec with this name; strategy://specs lists the names.")
    return ReadSpecResult.model_validate(row._asdict() | {"spec_id": str(row.spec_id)})


async def complete_spec_name(prefix: str, call: StrategyDbCall) -> list[str]:
    """Return the names that begin with *prefix*, in any case."""
    return await queries.names(call.postgres, beginning=prefix)


async def read_indicators(_request: ReadIndicatorsRequest, _call: StrategyDbCall) -> ReadIndicatorsResult:
    """Return the kinds of indicators and rules, and the names of built-in strategies."""
    indicator = SUBMIT_NEW_SPEC_PARAMETERS["properties"]["indicators"]["items"]
    return ReadIndicatorsResult(
        indicators=[kind for kind in indicator["properties"]["type"]["enum"] if kind.isupper()],
        prices=sorted(PRICES),
        conditions=sorted(RULES),
        built_in_strategies=sorted(STRATEGIES),
    )


async def _refuse_near_copy(request: SubmitNewSpecRequest, call: StrategyDbCall) -> SubmitNewSpecResult | None:
    """Return the result for a near copy that the caller does not want; else None."""
    spec = normalise_spec(request)
    if not call.ask.supports("near_copy") or list(check_spec(spec)):
        return None
    other = await queries.near_copy(
        call.postgres,
        name=spec.name,
        indicators=sorted(each.type for each in spec.indicators),
        entry_conditions=sorted(each.type for each in spec.entry_conditions),
        exit_conditions=sorted(each.type for each in spec.exit_conditions),
    )
    if other is None:
        return None
    answer = await call.ask.near_copy(name=spec.name, other=other.name)
    if isinstance(answer, Accepted) and answer.answer.store:
        return None
    warning = f"{spec.name} nearly repeats {other.name} and was not stored."
    return SubmitNewSpecResult(spec_id=str(other.spec_id), created=False, validation_errors=[warning])


async def _submit(request: SubmitNewSpecRequest, call: StrategyDbCall, statements: Statements) -> JsonObject:
    spec = normalise_spec(request)
    found = list(check_spec(spec))
    if spec.name in STRATEGIES or await queries.is_taken(statements, name=spec.name):
        found.insert(0, name_taken())
    if found:
        raise build_error(found)
    spec_id = await queries.submit(
        statements,
        name=spec.name,
        description=request.description or "",
        indicators=[indicator.as_json() for indicator in spec.indicators],
        entry_conditions=[condition.as_json() for condition in spec.entry_conditions],
        exit_conditions=[condition.as_json() for condition in spec.exit_conditions],
        parameters=[parameter.as_json() for parameter in spec.parameters],
        reasoning=request.reasoning,
        created_at=call.now,
    )
    if spec_id is None:
        raise build_error([name_taken()])
    return {"spec_id": str(spec_id), "created": True, "validation_errors": list(find_warnings(spec))}
