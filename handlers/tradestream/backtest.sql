-- The queries of backtest-mcp.

-- name: configuration :one
-- Return the name of the spec that a strategy runs, and its parameters.
SELECT p.name, i.parameters
FROM strategies s
JOIN strategy_implementations i ON i.impl_id = s.impl_id
JOIN strategy_specs p ON p.spec_id = i.spec_id
WHERE s.strategy_id = :strategy_id;

-- name: strategy_symbol :one
-- Return the symbol on which a strategy runs.
SELECT symbol FROM strategies WHERE strategy_id = :strategy_id;

-- name: measured_periods :many
-- Return the measured periods of a strategy that end between two days.
SELECT period_start, period_end, signals_count, accuracy, sharpe, total_return
FROM strategy_performance
WHERE strategy_id = :strategy_id AND period_end BETWEEN :first AND :last;
