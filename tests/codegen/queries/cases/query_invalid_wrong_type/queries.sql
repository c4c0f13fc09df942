-- name: found :many
SELECT o.order_id, o.title FROM orders o WHERE o.order_id = o.title;
