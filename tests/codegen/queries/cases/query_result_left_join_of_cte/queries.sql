-- name: name :one
-- returns: get_text
WITH known AS (SELECT customer_id, name FROM customers)
SELECT k.name AS text FROM orders o LEFT JOIN known k ON k.customer_id = o.referrer_id;

-- name: kept :one
-- returns: get_text
WITH known AS MATERIALIZED (SELECT customer_id, name FROM customers)
SELECT k.name AS text FROM orders o LEFT JOIN known k ON k.customer_id = o.referrer_id;
