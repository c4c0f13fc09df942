-- name: title :one
SELECT o.title FROM orders o WHERE o.order_id = $1;
