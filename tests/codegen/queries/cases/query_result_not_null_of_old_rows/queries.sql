-- name: note :one
-- returns: get_text
SELECT o.note AS text FROM orders o WHERE o.order_id = :order_id;
