"""The tools and resources of strategy-db-mcp: specs and implementations, on PostgreSQL."""

from generated.tradestream.errors import SpecNotFound
from generated.tradestream.strategy_db.models import (
    GetImplementationsRequest,
    GetTopSpecsRequest,
    Implementation,
    ReadIndicatorsRequest,
    ReadIndicatorsResult,
    ReadSpecRequest,
    ReadSpecResult,
    ReadSpecsRequest,
    ReadSpecsResult,
    ReadSpecsResultSpecsItem,
    Spec,
    SubmitNewSpecRequest,
    SubmitNewSpecResult,
)
from generated.tradestream.strategy_db.schemas import SUBMIT_NEW_SPEC_PARAMETERS
from generated.tradestream.strategy_db.server import StrategyDbCall
from handlers.tradestream.identifiers import is_identifier, not_found_message
from handlers.tradestream.pages import to_page, to_record
from handlers.tradestream.registry import PRICES, RULES, STRATEGIES
from handlers.tradestream.spec_forms import normalise_spec
from handlers.tradestream.specs import build_error, check_spec, find_warnings, name_taken
from toolaccord import Accepted, Page, ResourceNotFound
from toolaccord.json_values import JsonObject
from toolaccord.sources.postgresql import Row, Statements
from toolaccord.sources.postgresql.idempotency import once

ALL = "ALL"

# The last digits of a mean of floats depend on the order of addition. Rounding keeps the mean and the rank stable.
TOP_SPECS = """
WITH ranked AS (
    SELECT s.spec_id, s.name, done.avg_sharpe, done.implementations_count
    FROM strategy_specs s
    CROSS JOIN LATERAL (
        SELECT round(avg(i.forward_sharpe)::numeric, 9)::double precision AS avg_sharpe,
               count(*) AS implementations_count
        FROM strategy_implementations i
        WHERE i.spec_id = s.spec_id
    ) done
    WHERE true
)
SELECT (SELECT count(*) FROM ranked) AS total, page.*,
       (SELECT whole.indicators FROM strategy_specs whole WHERE whole.spec_id = page.spec_id) AS indicators
FROM (SELECT) AS always
LEFT JOIN (SELECT * FROM ranked ORDER BY avg_sharpe DESC NULLS LAST, name LIMIT $1 OFFSET $2) page ON true
ORDER BY page.avg_sharpe DESC NULLS LAST, page.name
"""
TOP_SPECS_OF_SOURCE = TOP_SPECS.replace("WHERE true", "WHERE s.source = $3")

# No row: the spec does not exist. A row without impl_id: the page is past the end, and the row holds the total alone.
IMPLEMENTATIONS = """
SELECT (SELECT count(*) FROM strategy_implementations i WHERE i.spec_id = $1::text::uuid AND true) AS total, page.*
FROM strategy_specs s
LEFT JOIN (
    SELECT i.impl_id, i.parameters, i.symbol, i.forward_sharpe, i.forward_accuracy, i.status
    FROM strategy_implementations i
    WHERE i.spec_id = $1::text::uuid AND true
    ORDER BY i.forward_sharpe DESC NULLS LAST, i.impl_id
    LIMIT $2 OFFSET $3
) page ON true
WHERE s.spec_id = $1::text::uuid
ORDER BY page.forward_sharpe DESC NULLS LAST, page.impl_id
"""
IMPLEMENTATIONS_IN_STATUS = IMPLEMENTATIONS.replace("AND true", "AND i.status = $4")

IS_TAKEN = "SELECT EXISTS (SELECT FROM strategy_specs WHERE name = $1) AS is_taken"

# A name that is stored already needs no answer: the call repeats another one, or fails.
NEAR_COPY = """
SELECT spec_id, name FROM strategy_specs
WHERE NOT EXISTS (SELECT FROM strategy_specs WHERE name = $1)
  AND ARRAY(SELECT each ->> 'type' COLLATE "C" FROM jsonb_array_elements(indicators) each ORDER BY 1) = $2::text[]
  AND ARRAY(SELECT each ->> 'type' COLLATE "C" FROM jsonb_array_elements(entry_conditions) each ORDER BY 1) = $3::text[]
  AND ARRAY(SELECT each ->> 'type' COLLATE "C" FROM jsonb_array_elements(exit_conditions) each ORDER BY 1) = $4::text[]
ORDER BY created_at DESC, name LIMIT 1
"""
# The second of two simultaneous calls with one name waits here for the first, and then gets no row.
SUBMIT = """
INSERT INTO strategy_specs
    (name, description, indicators, entry_conditions, exit_conditions, parameters, reasoning, source, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, 'LLM_GENERATED', $8)
ON CONFLICT (name) DO NOTHING
RETURNING spec_id
"""

# A row without a name holds the total alone.
SPECS = """
SELECT (SELECT count(*) FROM strategy_specs) AS total, listed.*
FROM (SELECT) AS always
LEFT JOIN (SELECT name, source, created_at FROM strategy_specs ORDER BY created_at DESC, name LIMIT 1000) listed ON true
ORDER BY listed.created_at DESC, listed.name
"""
SPEC = """
SELECT spec_id, name, description, indicators, entry_conditions, exit_conditions, parameters, reasoning, source, created_at
FROM strategy_specs WHERE name = $1
"""
NAMES = "SELECT name FROM strategy_specs WHERE starts_with(lower(name), lower($1)) ORDER BY name LIMIT 1000"


async def get_top_specs(request: GetTopSpecsRequest, call: StrategyDbCall) -> Page[Spec]:
    """Return the specs by their implementations' mean forward Sharpe ratio, best first.

    Unmeasured specs are last.
    """
    if request.source == ALL:
        rows = await call.postgres.fetch(TOP_SPECS, request.limit, request.offset)
    else:
        rows = await call.postgres.fetch(TOP_SPECS_OF_SOURCE, request.limit, request.offset, request.source)
    return to_page(Spec, rows, "spec_id")


async def get_implementations(request: GetImplementationsRequest, call: StrategyDbCall) -> Page[Implementation]:
    """Return the implementations of a spec, best forward Sharpe ratio first, unmeasured last."""
    rows: list[Row] = []
    if is_identifier(request.spec_id):
        page = (request.spec_id, request.limit, request.offset)
        if request.status == ALL:
            rows = await call.postgres.fetch(IMPLEMENTATIONS, *page)
        else:
            rows = await call.postgres.fetch(IMPLEMENTATIONS_IN_STATUS, *page, request.status)
    if not rows:
        raise SpecNotFound(not_found_message("Spec", request.spec_id), spec_id=request.spec_id)
    return to_page(Implementation, rows, "impl_id")


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
    rows = await call.postgres.fetch(SPECS)
    listed = [to_record(ReadSpecsResultSpecsItem, row) for row in rows if row["name"] is not None]
    return ReadSpecsResult(total=rows[0]["total"], specs=listed)


async def read_spec(request: ReadSpecRequest, call: StrategyDbCall) -> ReadSpecResult:
    """Return a spec by its name. Raises ResourceNotFound."""
    row = await call.postgres.fetch_one(SPEC, request.name)
    if row is None:
        raise ResourceNotFound("There is no spec with this name; strategy://specs lists the names.")
    return to_record(ReadSpecResult, row)


async def complete_spec_name(prefix: str, call: StrategyDbCall) -> list[str]:
    """Return the names that begin with *prefix*, in any case."""
    return [row["name"] for row in await call.postgres.fetch(NAMES, prefix)]


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
    kinds = [[each.type for each in part] for part in (spec.indicators, spec.entry_conditions, spec.exit_conditions)]
    other = await call.postgres.fetch_one(NEAR_COPY, spec.name, *map(sorted, kinds))
    if other is None:
        return None
    answer = await call.ask.near_copy(name=spec.name, other=other["name"])
    if isinstance(answer, Accepted) and answer.answer.store:
        return None
    warning = f"{spec.name} nearly repeats {other['name']} and was not stored."
    return SubmitNewSpecResult(spec_id=str(other["spec_id"]), created=False, validation_errors=[warning])


async def _submit(request: SubmitNewSpecRequest, call: StrategyDbCall, statements: Statements) -> JsonObject:
    spec = normalise_spec(request)
    found = list(check_spec(spec))
    if spec.name in STRATEGIES or await _is_taken(spec.name, statements):
        found.insert(0, name_taken())
    if found:
        raise build_error(found)
    row = await statements.fetch_one(
        SUBMIT,
        spec.name,
        request.description or "",
        [indicator.as_json() for indicator in spec.indicators],
        [condition.as_json() for condition in spec.entry_conditions],
        [condition.as_json() for condition in spec.exit_conditions],
        [parameter.as_json() for parameter in spec.parameters],
        request.reasoning,
        call.now,
    )
    if row is None:
        raise build_error([name_taken()])
    return {"spec_id": str(row["spec_id"]), "created": True, "validation_errors": list(find_warnings(spec))}


async def _is_taken(name: str, statements: Statements) -> bool:
    row = await statements.fetch_one(IS_TAKEN, name)
    return row is not None and bool(row["is_taken"])
