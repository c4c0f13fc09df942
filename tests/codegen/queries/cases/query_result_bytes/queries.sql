-- name: text :one
-- returns: get_text
SELECT l.content AS text FROM labels l;
