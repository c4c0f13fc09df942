-- name: tags :one
-- returns: get_text
SELECT o.tags AS text FROM orders o;
