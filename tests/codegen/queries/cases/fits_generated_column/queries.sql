-- name: text :one
-- returns: get_text
SELECT l.loud AS text FROM labels l;

-- name: count :one
-- returns: get_count
SELECT l.length AS count FROM labels l;
