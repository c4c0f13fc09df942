-- name: referrer :one
-- returns: find_text
SELECT c.name AS text, c.email AS note FROM orders o LEFT JOIN customers c ON c.customer_id = o.referrer_id;
