-- name: moment :one
-- returns: get_moment
SELECT o.placed_at::date AS moment FROM orders o;
