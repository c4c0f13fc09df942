-- name: add :single
-- returns: add_order
INSERT INTO orders (customer_id, title, total) VALUES (:customer_id, :title, :total) RETURNING order_id;
