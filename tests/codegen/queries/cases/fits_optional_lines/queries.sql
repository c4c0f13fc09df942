-- name: list_orders :page
-- returns: list_orders
-- List orders.
SELECT o.order_id, o.status, o.placed_at
FROM orders o
LEFT JOIN customers c ON c.customer_id = o.referrer_id
WHERE o.order_id > 0
  AND o.title ILIKE '%' || :part? || '%'
  AND c.name = :name?
  AND (o.total > :total? OR o.weight > :total?)
ORDER BY o.placed_at DESC, o.order_id;
