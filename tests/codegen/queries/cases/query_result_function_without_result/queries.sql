-- name: tags :one
-- returns: get_count
SELECT array_length(o.tags, 1) AS count FROM orders o;

-- name: word :one
-- returns: get_text
SELECT substring(o.title FROM '[0-9]+') AS text FROM orders o;

-- name: empty :one
-- returns: get_text
SELECT nullif(o.title, '') AS text FROM orders o;
