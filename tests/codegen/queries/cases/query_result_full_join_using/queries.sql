-- name: number :one
-- returns: get_count
SELECT order_id AS count FROM orders FULL JOIN items USING (order_id);
