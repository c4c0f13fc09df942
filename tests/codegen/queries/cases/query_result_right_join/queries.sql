-- name: referrer :one
-- returns: get_text
SELECT c.name AS text
FROM customers c
RIGHT JOIN orders o ON c.customer_id = o.referrer_id;
