-- name: change :exec
UPDATE orders SET note = ';' WHERE order_id = :order_id; DELETE FROM items;

-- name: clean :exec
DELETE FROM items WHERE order_id = :order_id;

DELETE FROM orders WHERE order_id = :order_id;
