-- name: title :one
-- returns: get_text
SELECT o.title AS text
FROM customers c
FULL JOIN orders o ON c.customer_id = o.referrer_id
WHERE o.is_gift;
