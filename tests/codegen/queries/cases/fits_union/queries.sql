-- name: words :one
-- returns: get_text
SELECT o.title::text AS text FROM orders o UNION ALL SELECT c.name FROM customers c UNION SELECT 'none';

-- name: in_from :one
-- returns: get_text
SELECT w.text FROM (SELECT name AS text FROM customers EXCEPT SELECT sku FROM items) w;
