-- name: count :one
-- returns: get_count
SELECT i.count
FROM orders o
LEFT JOIN LATERAL (SELECT length(o.title) AS count FROM items WHERE order_id = o.order_id LIMIT 1) i ON true;
