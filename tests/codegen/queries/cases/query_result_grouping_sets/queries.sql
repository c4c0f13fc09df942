-- name: title :one
-- returns: get_text
SELECT o.title AS text FROM orders o GROUP BY GROUPING SETS ((o.title), ());

-- name: rolled_up :one
-- returns: get_text
SELECT coalesce(o.note, '') AS text FROM orders o GROUP BY ROLLUP (coalesce(o.note, ''));

-- name: word :one
-- returns: get_text
SELECT 'word' AS text FROM orders o GROUP BY CUBE (1);
