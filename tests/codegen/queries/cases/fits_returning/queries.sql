-- name: change :one
-- returns: change_order
UPDATE orders SET note = :note WHERE order_id = :order_id RETURNING order_id;

-- name: drop :one
-- returns: change_order
DELETE FROM items i USING orders o WHERE o.order_id = i.order_id RETURNING o.order_id;

-- name: upsert :one
-- returns: change_order
INSERT INTO items (order_id, line, sku, quantity) VALUES (:order_id, 1, :sku, 1)
ON CONFLICT (order_id, line) DO UPDATE SET quantity = items.quantity + 1
RETURNING order_id;
