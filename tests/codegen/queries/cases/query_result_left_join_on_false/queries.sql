-- name: name :one
-- returns: get_text
SELECT c.name AS text FROM orders o LEFT JOIN customers c ON false;

-- name: tier :one
-- returns: get_text
SELECT c.tier AS text FROM orders o LEFT JOIN (SELECT * FROM customers WHERE false) c ON true;

-- name: itself :one
-- returns: get_text
SELECT p.title AS text FROM orders o LEFT JOIN orders p ON false;
