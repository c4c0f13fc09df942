-- name: title :one
-- returns: get_text
SELECT o.title AS text FROM orders o WHERE o.order_id = :order_id;
