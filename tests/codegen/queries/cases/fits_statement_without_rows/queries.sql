-- name: tell :exec
SELECT pg_notify('orders', :payload);

-- name: change :exec
UPDATE orders SET status = :status, tags = :tags, document = :document WHERE order_id = :order_id;
