-- name: text :one
-- returns: get_text
SELECT o.is_gift AS text FROM orders o;
