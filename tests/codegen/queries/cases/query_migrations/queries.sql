-- name: title :one
SELECT o.title FROM orders o WHERE o.order_id = :order_id;

-- name: note :one
SELECT o.note FROM orders o WHERE o.order_id = :order_id;
