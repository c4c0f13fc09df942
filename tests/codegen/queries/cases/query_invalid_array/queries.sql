-- name: found :many
SELECT o.order_id FROM orders o WHERE o.tags = :tag || 1;
