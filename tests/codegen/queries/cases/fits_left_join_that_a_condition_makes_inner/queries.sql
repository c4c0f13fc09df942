-- name: name :one
-- returns: get_text
SELECT c.name AS text FROM orders o LEFT JOIN customers c ON c.customer_id = o.referrer_id WHERE c.tier = 'open';

-- name: found :one
-- returns: get_text
SELECT c.name AS text FROM orders o LEFT JOIN customers c ON c.customer_id = o.referrer_id
WHERE c.customer_id = :customer_id;
