-- name: number :one
-- returns: get_number
SELECT o.weight AS number FROM orders o WHERE o.order_id = :order_id;
