-- name: echo :one
-- returns: get_text
SELECT :word::text AS text;
