-- name: name :one
-- returns: get_text
SELECT c.name AS text
FROM orders o
JOIN customers c ON c.customer_id = o.customer_id
LEFT JOIN items i ON i.order_id = o.order_id;
