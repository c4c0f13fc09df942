-- name: list_orders :page
-- returns: list_orders
SELECT o.order_id, o.status, o.placed_at
FROM orders o
WHERE o.is_gift -- when :what = gifts
WHERE true      -- when :what = all
ORDER BY o.placed_at DESC, o.order_id -- when :sort = newest
ORDER BY o.total, o.order_id -- when :sort = cheapest
