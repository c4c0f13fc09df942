-- name: status :one
-- returns: get_status
SELECT l.status FROM labels l;

-- name: text :one
-- returns: get_text
SELECT l.short AS text FROM labels l;
