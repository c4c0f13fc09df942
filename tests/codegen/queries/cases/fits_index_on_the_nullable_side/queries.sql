-- name: name :one
-- returns: get_text
SELECT c.name AS text
FROM customers c LEFT JOIN (SELECT customer_id, count(*) AS orders FROM orders GROUP BY 1) o USING (customer_id)
WHERE c.customer_id = :customer_id;

-- name: kept :one
-- returns: get_text
SELECT k.name AS text
FROM orders o LEFT JOIN customers k ON k.customer_id = o.customer_id LEFT JOIN items i ON i.order_id = o.order_id
WHERE k.tier = 'open' AND o.customer_id = :customer_id;
