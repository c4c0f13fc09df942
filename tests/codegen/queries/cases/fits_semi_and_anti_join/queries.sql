-- name: title :one
-- returns: get_text
SELECT o.title AS text FROM orders o
WHERE o.order_id IN (SELECT i.order_id FROM items i)
  AND NOT EXISTS (SELECT FROM customers c WHERE c.customer_id = o.referrer_id);

-- name: without_items :one
-- returns: get_text
SELECT o.title AS text FROM orders o LEFT JOIN items i ON i.order_id = o.order_id WHERE i.order_id IS NULL;
