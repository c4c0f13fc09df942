-- name: texts :page
-- returns: get_text
SELECT o.title AS text FROM orders o
ORDER BY o.order_id;
