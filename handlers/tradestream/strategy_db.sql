-- The queries of strategy-db-mcp.

-- name: top_specs :page
-- returns: get_top_specs
-- Return the specs by their implementations' mean forward Sharpe ratio, best first; of one source if given.
--
-- The last digits of a mean of floats depend on the order of addition. Rounding keeps the mean and the rank stable.
SELECT s.spec_id, s.name, done.avg_sharpe, done.implementations_count,
       -- Read after the sort, of the page alone.
       coalesce((SELECT whole.indicators FROM strategy_specs whole WHERE whole.spec_id = s.spec_id), '[]') AS indicators
FROM strategy_specs s
CROSS JOIN LATERAL (
    SELECT round(avg(i.forward_sharpe)::numeric, 9)::double precision AS avg_sharpe,
           count(*) AS implementations_count
    FROM strategy_implementations i
    WHERE i.spec_id = s.spec_id
) done
WHERE true
  AND s.source = :source?
ORDER BY done.avg_sharpe DESC NULLS LAST, s.name;

-- name: implementations :page
-- returns: get_implementations
-- Return the implementations of a spec, best forward Sharpe ratio first; in one status if given.
SELECT i.impl_id, i.parameters, i.symbol, i.forward_sharpe, i.forward_accuracy, i.status
FROM strategy_implementations i
WHERE i.spec_id = :spec_id
  AND i.status = :status?
ORDER BY i.forward_sharpe DESC NULLS LAST, i.impl_id;

-- name: is_spec :single
-- Return whether there is a spec with an id.
SELECT EXISTS (SELECT FROM strategy_specs WHERE spec_id = :spec_id) AS is_spec;

-- name: is_taken :single
-- Return whether a spec has a name.
SELECT EXISTS (SELECT FROM strategy_specs WHERE name = :name) AS is_taken;

-- name: near_copy :one
-- Return the newest spec of the same kinds of parts, given sorted.
--
-- A name that is stored already needs no answer: the call repeats another one, or fails.
SELECT spec_id, name FROM strategy_specs
WHERE NOT EXISTS (SELECT FROM strategy_specs WHERE name = :name)
  AND ARRAY(SELECT each ->> 'type' COLLATE "C" FROM jsonb_array_elements(indicators) each ORDER BY 1)
      = :indicators::text[]
  AND ARRAY(SELECT each ->> 'type' COLLATE "C" FROM jsonb_array_elements(entry_conditions) each ORDER BY 1)
      = :entry_conditions::text[]
  AND ARRAY(SELECT each ->> 'type' COLLATE "C" FROM jsonb_array_elements(exit_conditions) each ORDER BY 1)
      = :exit_conditions::text[]
ORDER BY created_at DESC, name LIMIT 1;

-- name: submit :one
-- null: reasoning
-- Store a spec of an agent, and return its id; None if the name is taken.
--
-- The second of two simultaneous calls with one name waits here for the first, and then gets no row.
INSERT INTO strategy_specs
    (name, description, indicators, entry_conditions, exit_conditions, parameters, reasoning, source, created_at)
VALUES (:name, :description, :indicators, :entry_conditions, :exit_conditions, :parameters, :reasoning,
        'LLM_GENERATED', :created_at)
ON CONFLICT (name) DO NOTHING
RETURNING spec_id;

-- name: specs :page
-- Return the names of the specs, the newest first.
SELECT name, source FROM strategy_specs
ORDER BY created_at DESC, name;

-- name: spec :one
-- Return a spec by its name.
SELECT spec_id, name, description, indicators, entry_conditions, exit_conditions, parameters, reasoning, source, created_at
FROM strategy_specs WHERE name = :name;

-- name: names :many
-- Return the names that begin with a text, in any case.
SELECT name FROM strategy_specs WHERE starts_with(lower(name), lower(:beginning)) ORDER BY name LIMIT 1000;
