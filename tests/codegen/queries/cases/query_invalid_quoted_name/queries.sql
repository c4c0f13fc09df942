-- name: title :one
-- returns: get_text
SELECT o."Title" AS text FROM orders o;
