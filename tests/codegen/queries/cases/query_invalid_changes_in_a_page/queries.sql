-- name: orders :page
WITH gone AS (DELETE FROM items RETURNING order_id) SELECT order_id FROM gone
ORDER BY order_id;
