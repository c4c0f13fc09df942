-- name: change :exec
UPDATE orders SET note = :note WHERE order_id = :order_id;
