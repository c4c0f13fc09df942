-- name: add :one
-- returns: get_text
INSERT INTO customers (name, tier) VALUES (:name, 'open') RETURNING old.name AS text;

-- name: add_alias :one
-- returns: get_text
INSERT INTO customers (name, tier) VALUES (:name, 'open') RETURNING WITH (OLD AS before) before.name AS text;

-- name: drop_new :one
-- returns: get_text
DELETE FROM customers WHERE customer_id = :customer_id RETURNING new.name AS text;

-- name: in_cte :one
-- returns: get_text
WITH added AS (INSERT INTO customers (name, tier) VALUES (:name, 'open') RETURNING old.name)
SELECT name AS text FROM added;
