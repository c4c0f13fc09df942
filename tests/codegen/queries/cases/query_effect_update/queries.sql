-- name: read :one
UPDATE orders SET note = 'read' WHERE order_id = :order_id RETURNING note;
