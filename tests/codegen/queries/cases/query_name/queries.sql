-- name: title :one
SELECT o.title FROM orders o WHERE o.order_id = :order_id;

-- name: title :many
SELECT o.title FROM orders o;
