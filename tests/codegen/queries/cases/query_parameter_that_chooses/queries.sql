-- name: found :many
SELECT o.order_id FROM orders o WHERE o.title = :sort
ORDER BY o.title     -- when :sort = title
ORDER BY o.placed_at -- when :sort = age
