-- name: label :one
-- returns: get_text
SELECT l.label AS text FROM labels l WHERE l.label_id = :label_id;
