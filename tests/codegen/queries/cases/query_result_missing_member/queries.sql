-- name: orders :page
-- returns: list_orders
SELECT o.order_id, o.status FROM orders o
ORDER BY o.order_id;
