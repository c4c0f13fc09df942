-- name: add :single
INSERT INTO orders (customer_id, title, total)
SELECT c.customer_id, :title, 0 FROM customers c WHERE c.name = :name
ON CONFLICT DO NOTHING
RETURNING order_id;
