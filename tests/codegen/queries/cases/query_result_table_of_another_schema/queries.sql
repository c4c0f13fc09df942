-- name: label :one
-- returns: get_text
SELECT l.label AS text FROM labels l;

-- name: longer :one
-- returns: get_text
SELECT l.label || '!' AS text FROM labels l;
