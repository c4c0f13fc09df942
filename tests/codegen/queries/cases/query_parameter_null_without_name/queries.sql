-- name: found :many
-- null: note
SELECT o.order_id FROM orders o WHERE o.title = :title;
