-- name: flag :one
-- returns: get_flag
SELECT o.note IS JSON AS flag FROM orders o;

-- name: comparison :one
-- returns: get_flag
SELECT o.note = 'x' AS flag FROM orders o;

-- name: membership :one
-- returns: get_flag
SELECT o.title IN ('a', NULL) AS flag FROM orders o;

-- name: membership_of_numbers :one
-- returns: get_flag
SELECT o.order_id IN (1, 2, NULL) AS flag FROM orders o;
