-- name: moment :one
-- returns: get_moment
SELECT o.paid_at AS moment FROM orders o;
