-- name: placed :one
-- returns: get_moment
SELECT o.placed_at AS moment FROM orders o;

-- name: paid :one
-- returns: get_moment
SELECT o.paid_at AT TIME ZONE 'UTC' AS moment FROM orders o;

-- name: later :one
-- returns: get_moment
SELECT o.placed_at + interval '1 day' AS moment FROM orders o;

-- name: now :single
-- returns: get_moment
SELECT now() AS moment;

-- name: day :one
-- returns: get_moment
SELECT date_trunc('day', o.placed_at) AS moment FROM orders o;
