-- name: title :one
-- returns: get_text
SELECT o.title AS text, o.note AS text_note
FROM orders o;
