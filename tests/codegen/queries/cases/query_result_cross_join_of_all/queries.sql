-- name: words :one
-- returns: get_text
SELECT max(c.name) AS text FROM customers c CROSS JOIN orders o;
