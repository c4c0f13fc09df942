-- name: found :many
SELECT o.order_id, point(1, 2) AS place FROM orders o;

-- name: during :many
SELECT o.order_id, tstzrange(o.placed_at, NULL) AS during FROM orders o;

-- name: row :many
SELECT o.order_id, o AS whole FROM orders o;
