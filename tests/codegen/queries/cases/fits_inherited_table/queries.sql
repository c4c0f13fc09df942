-- name: label :one
-- returns: get_text
SELECT l.label AS text FROM labels l;

-- name: of_child :one
-- returns: get_text
SELECT l.label AS text FROM old_labels l;
