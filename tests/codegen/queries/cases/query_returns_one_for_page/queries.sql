-- name: orders :one
-- returns: list_orders
SELECT o.order_id, o.status, o.placed_at FROM orders o;
