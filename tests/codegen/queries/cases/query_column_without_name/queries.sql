-- name: found :many
SELECT o.order_id, o.total * 2 FROM orders o;
