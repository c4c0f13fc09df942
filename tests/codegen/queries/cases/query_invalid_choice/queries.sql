-- name: found :many
SELECT o.order_id, o.title
FROM orders o
ORDER BY o.placed_at DESC -- when :sort = newest
ORDER BY o.priority       -- when :sort = urgent
;
