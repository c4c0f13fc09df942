-- name: found :many
SELECT o.order_id FROM orders o WHERE tstzrange(o.placed_at, NULL) = :during;
