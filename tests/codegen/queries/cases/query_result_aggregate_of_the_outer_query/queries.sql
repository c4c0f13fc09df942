-- name: orders :one
-- returns: get_count
SELECT (SELECT count(o.order_id) FROM items i LIMIT 1) AS count FROM orders o;

-- name: without_limit :one
-- returns: get_count
SELECT (SELECT count(o.order_id) FROM items i) AS count FROM orders o;
