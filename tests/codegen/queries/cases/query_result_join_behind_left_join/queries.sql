-- name: name :one
-- returns: get_text
SELECT r.name AS text
FROM customers c
LEFT JOIN (orders o JOIN customers r ON r.customer_id = o.referrer_id) ON o.customer_id = c.customer_id;
