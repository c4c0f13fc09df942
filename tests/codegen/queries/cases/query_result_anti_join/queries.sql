-- name: title :one
-- returns: get_text
SELECT o.title AS text
FROM customers c
LEFT JOIN orders o ON o.customer_id = c.customer_id
WHERE o.order_id IS NULL;

-- name: of_one :one
-- returns: get_text
SELECT o.title AS text
FROM customers c
LEFT JOIN orders o ON o.customer_id = c.customer_id
WHERE o.order_id IS NULL AND c.customer_id = :customer_id;
