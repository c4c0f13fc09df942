-- name: read :one
SELECT o.note FROM orders o WHERE o.order_id = :order_id FOR UPDATE;
