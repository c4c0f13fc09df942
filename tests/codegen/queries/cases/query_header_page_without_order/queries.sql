-- name: orders :page
SELECT o.order_id, o.status, o.placed_at FROM orders o;
