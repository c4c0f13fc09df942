-- name: title :one
-- returns: get_text
SELECT DISTINCT ON (o.customer_id) o.title AS text
FROM orders o JOIN orders p ON p.customer_id = o.customer_id AND p.order_id < o.order_id
ORDER BY o.customer_id, o.placed_at DESC;
