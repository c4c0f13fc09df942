-- name: title :one
-- returns: get_text
SELECT t.title AS text FROM customers c LEFT JOIN titles t ON t.order_id = c.customer_id;
