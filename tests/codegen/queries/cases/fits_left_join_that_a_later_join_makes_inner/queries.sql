-- name: sku :one
-- returns: get_text
SELECT o.title AS text
FROM customers c
LEFT JOIN orders o ON o.customer_id = c.customer_id
JOIN items i ON i.order_id = o.order_id;
