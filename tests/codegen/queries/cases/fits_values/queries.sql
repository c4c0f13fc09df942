-- name: words :one
-- returns: get_text
SELECT w.word AS text FROM (VALUES ('a'), ('b')) AS w (word);

-- name: table_of_numbers :many
VALUES (1, 'one'), (2, 'two');
