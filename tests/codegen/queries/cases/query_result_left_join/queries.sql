-- name: referrer :one
-- returns: get_text
SELECT c.name AS text
FROM orders o
LEFT JOIN customers c ON c.customer_id = o.referrer_id
WHERE o.order_id = :order_id;
