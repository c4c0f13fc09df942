-- name: count :one
-- returns: get_count
SELECT count(*) AS count FROM orders o GROUP BY ROLLUP (o.title);

-- name: title :one
-- returns: get_text
SELECT coalesce(o.title, 'all') AS text FROM orders o GROUP BY ROLLUP (o.title);

-- name: level :one
-- returns: get_count
SELECT GROUPING(o.title) AS count FROM orders o GROUP BY CUBE (o.title);
