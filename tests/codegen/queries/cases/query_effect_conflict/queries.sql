-- name: add :exec
INSERT INTO items (order_id, line, sku, quantity) VALUES (:order_id, :line, :sku, 1)
ON CONFLICT (order_id, line) DO UPDATE SET quantity = items.quantity + 1;
