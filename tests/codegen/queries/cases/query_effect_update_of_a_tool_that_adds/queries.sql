-- name: add :exec
WITH added AS (INSERT INTO items VALUES (:order_id, 1, 'a', 1) RETURNING order_id)
UPDATE orders SET note = 'changed' FROM added WHERE added.order_id = orders.order_id;
