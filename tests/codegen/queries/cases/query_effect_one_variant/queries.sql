-- name: list_orders :many
SELECT o.order_id FROM orders o
WHERE o.title = :title
FOR UPDATE -- when :lock = yes
-- when :lock = no
