-- name: word :one
-- returns: get_text
SELECT w.word AS text FROM (VALUES ('a'), (NULL), ('c')) AS w (word);
