-- name: title :one
-- returns: get_texts
SELECT o.title AS text FROM orders o;
