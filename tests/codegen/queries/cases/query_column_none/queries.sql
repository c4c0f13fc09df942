-- name: change :one
UPDATE orders SET note = NULL WHERE order_id = :order_id;
