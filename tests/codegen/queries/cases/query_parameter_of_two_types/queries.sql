-- name: found :many
SELECT o.order_id FROM orders o
WHERE o.order_id = :what -- when :by = id
WHERE o.title = :what    -- when :by = title
