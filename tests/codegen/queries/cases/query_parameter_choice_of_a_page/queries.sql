-- name: orders :page
SELECT o.order_id, o.status, o.placed_at FROM orders o
ORDER BY o.order_id            -- when :limit = oldest
ORDER BY o.placed_at, o.title  -- when :limit = newest
;
