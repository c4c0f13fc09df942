-- name: title :one
-- returns: get_text
SELECT o.title AS text
FROM customers c
FULL JOIN orders o ON c.customer_id = o.referrer_id;

-- name: name :one
-- returns: get_text
SELECT c.name AS text
FROM customers c
FULL JOIN orders o ON c.customer_id = o.referrer_id;
