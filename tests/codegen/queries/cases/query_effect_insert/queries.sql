-- name: read :one
INSERT INTO customers (name, tier) VALUES ('a', 'open') RETURNING name;
