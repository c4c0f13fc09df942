-- name: note :one
-- returns: get_text
SELECT coalesce(o.note, '') AS text FROM orders o;

-- name: note_or_title :one
-- returns: get_text
SELECT coalesce(o.note, o.title) AS text FROM orders o;

-- name: greater :one
-- returns: get_number
SELECT greatest(o.weight, 0) AS number FROM orders o;
