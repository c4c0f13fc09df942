-- The queries of strategy-mcp.

-- name: top_strategies :page
-- returns: get_top_strategies
-- Return the measured active strategies of a symbol, best first.
--
-- The newest row of a strategy counts, and the key breaks ties, so that repeated calls agree. Few signals prove little,
-- so a score is shrunk towards the mean (empirical Bayes, docs/decisions/0032-partial-data-and-publication.md). It is
-- computed in numeric, because sums of doubles may overflow.
WITH measured AS (
    SELECT s.strategy_id, s.name, newest.sharpe, newest.accuracy, newest.signals_count,
           newest.sharpe AS score       -- when :metric = sharpe
           newest.accuracy AS score     -- when :metric = accuracy
           newest.total_return AS score -- when :metric = return
    FROM strategies s
    CROSS JOIN LATERAL (
        SELECT p.sharpe, p.accuracy, p.signals_count, p.total_return
        FROM strategy_performance p
        WHERE p.strategy_id = s.strategy_id
        ORDER BY p.period_end DESC, p.period_start DESC
        LIMIT 1
    ) newest
    WHERE s.symbol = :symbol AND s.is_active
), prior AS (
    SELECT coalesce(
        sum(score::numeric * signals_count) / nullif(sum(signals_count), 0), avg(score::numeric)
    ) AS mean
    FROM measured
)
SELECT m.strategy_id, m.name, m.score, m.sharpe, m.accuracy, m.signals_count
FROM measured m, prior
ORDER BY m.signals_count >= :enough_signals DESC,
    (m.score::numeric * m.signals_count + prior.mean * :prior_signals::integer)
        / (m.signals_count + :prior_signals::integer) DESC,
    m.strategy_id;

-- name: newest_signal :one
-- returns: get_strategy_signal
-- Return the newest signal of a strategy on a symbol since a time.
SELECT g.signal, g.confidence, g.triggered_at, g.parameters
FROM signals g
WHERE g.strategy_id = :strategy_id AND g.symbol = :symbol AND g.triggered_at >= :since
ORDER BY g.triggered_at DESC, g.signal_id DESC
LIMIT 1;

-- name: is_strategy :single
-- Return whether there is a strategy with an id.
SELECT EXISTS (SELECT FROM strategies WHERE strategy_id = :strategy_id) AS is_strategy;

-- name: known_symbols :many
-- Return the symbols of active strategies that begin with a text, in any case.
--
-- It takes one look into the index per symbol, of which there are hundreds. DISTINCT would read every active strategy.
WITH RECURSIVE known (symbol) AS (
    (SELECT symbol FROM strategies WHERE is_active ORDER BY symbol LIMIT 1)
    UNION ALL
    SELECT (SELECT s.symbol FROM strategies AS s WHERE s.is_active AND s.symbol > known.symbol ORDER BY s.symbol LIMIT 1)
    FROM known
    WHERE known.symbol IS NOT NULL
)
SELECT coalesce(symbol, '') AS symbol
FROM known
WHERE starts_with(symbol, upper(:beginning))
ORDER BY 1;

-- name: current_signals :single
-- Count the newest signals of active strategies on a symbol, with their mean confidence.
SELECT count(*) AS strategies,
       count(*) FILTER (WHERE current.signal = 'BUY') AS bullish,
       count(*) FILTER (WHERE current.signal = 'SELL') AS bearish,
       count(*) FILTER (WHERE current.signal = 'HOLD') AS neutral,
       avg(current.confidence) FILTER (WHERE current.signal = 'BUY') AS bullish_confidence,
       avg(current.confidence) FILTER (WHERE current.signal = 'SELL') AS bearish_confidence,
       avg(current.confidence) AS mean_confidence
FROM strategies s
LEFT JOIN LATERAL (
    SELECT g.signal, g.confidence
    FROM signals g
    WHERE g.strategy_id = s.strategy_id AND g.symbol = s.symbol AND g.triggered_at >= :since
    ORDER BY g.triggered_at DESC, g.signal_id DESC
    LIMIT 1
) current ON true
WHERE s.symbol = :symbol AND s.is_active;
