-- name: longest :one
-- returns: get_count
SELECT max(i.quantity) FILTER (WHERE i.line > 5) AS count FROM items i GROUP BY i.order_id;
