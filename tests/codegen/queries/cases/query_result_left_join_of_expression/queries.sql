-- name: name :one
-- returns: get_text
SELECT c.name AS text
FROM orders o
LEFT JOIN (SELECT customer_id, upper(name) AS name FROM customers) c ON c.customer_id = o.referrer_id;

-- name: word :one
-- returns: get_text
SELECT c.word AS text
FROM orders o
LEFT JOIN (SELECT customer_id, 'known' AS word FROM customers) c ON c.customer_id = o.referrer_id;
