-- name: found :one
-- returns: get_text
SELECT c.name AS text  -- when :what = name
SELECT c.email AS text -- when :what = email
FROM customers c;
