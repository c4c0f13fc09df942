-- name: list_orders :page
-- returns: list_orders
WITH latest AS (
    SELECT * FROM orders
    ORDER BY placed_at DESC LIMIT 5
)
SELECT order_id, status, placed_at FROM latest
UNION
SELECT order_id, status, row_number() OVER (
    ORDER BY placed_at
  ) * interval '1 day' + placed_at FROM orders
ORDER BY placed_at DESC, order_id;
