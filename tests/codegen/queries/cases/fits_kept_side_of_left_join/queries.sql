-- name: name :one
-- returns: get_text
SELECT c.name AS text FROM customers c LEFT JOIN orders o ON o.customer_id = c.customer_id;

-- name: title :one
-- returns: get_text
SELECT o.title AS text FROM customers c RIGHT JOIN orders o ON o.customer_id = c.customer_id;
