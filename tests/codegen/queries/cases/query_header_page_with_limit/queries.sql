-- name: orders :page
SELECT o.order_id, o.status, o.placed_at
FROM orders o
ORDER BY o.order_id
LIMIT 5;

-- name: fetched :page
SELECT o.order_id, o.status, o.placed_at
FROM orders o
ORDER BY o.order_id
FETCH FIRST 7 ROWS ONLY;
