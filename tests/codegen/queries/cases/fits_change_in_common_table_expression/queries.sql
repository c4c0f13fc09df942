-- name: change :one
-- returns: change_order
WITH gone AS (DELETE FROM items WHERE order_id = :order_id RETURNING order_id, sku)
SELECT g.order_id FROM gone g JOIN orders o USING (order_id);
