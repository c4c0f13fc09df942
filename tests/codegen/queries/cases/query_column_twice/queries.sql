-- name: found :many
SELECT o.order_id, i.order_id FROM orders o JOIN items i ON i.order_id = o.order_id;
