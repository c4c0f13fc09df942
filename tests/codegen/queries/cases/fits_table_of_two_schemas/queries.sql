-- name: read :one
-- returns: get_text
SELECT l.label AS text FROM archive.labels l;
