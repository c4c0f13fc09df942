-- name: orders :page
SELECT o.order_id, o.status, o.placed_at FROM orders o WHERE o.order_id > :offset
ORDER BY o.order_id;
