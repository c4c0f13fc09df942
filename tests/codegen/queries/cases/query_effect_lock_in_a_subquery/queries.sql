-- name: read :one
SELECT t.title AS text FROM (SELECT title FROM orders WHERE order_id = :order_id FOR NO KEY UPDATE) t;
