-- The queries of risk-mcp.

-- name: snapshot :single
-- null: sent
-- Return the limits of a portfolio, and the state of its instruments, at one moment.
--
-- One statement is one snapshot. Numbers that are compared are texts, because JSON's would become floats.
WITH held AS (
    SELECT symbol, quantity FROM portfolio_positions WHERE portfolio_id = :portfolio_id AND :sent::text[] IS NULL
), needed AS (
    SELECT :symbol::text AS symbol UNION SELECT symbol FROM held WHERE quantity <> 0 UNION SELECT unnest(:sent::text[])
), applied AS (
    SELECT DISTINCT ON (limit_type) rule_name, limit_type, threshold
    FROM portfolio_limits
    WHERE portfolio_id = :portfolio_id AND (symbol IS NULL OR symbol = :symbol)
    ORDER BY limit_type, symbol NULLS LAST
)
SELECT
    (SELECT json_agg(json_build_array(rule_name, limit_type, threshold::text) ORDER BY limit_type) FROM applied) AS limits,
    (SELECT json_agg(json_build_object(
        'symbol', symbol, 'quantity', held.quantity::text, 'group', correlation_group, 'step', quantity_step::text,
        'history', history
    ) ORDER BY symbol)
    FROM needed LEFT JOIN held USING (symbol) LEFT JOIN instruments USING (symbol) LEFT JOIN LATERAL (
        SELECT string_agg((:today::date - day) || ' ' || trim_scale(price), ',') AS history
        FROM (
            SELECT day, price FROM instrument_prices p WHERE p.symbol = instruments.symbol AND day <= :today::date
            ORDER BY day DESC LIMIT :days::int
        ) AS newest_days
    ) AS daily ON true) AS instruments;
