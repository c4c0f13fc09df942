-- name: place :one
-- returns: get_count
SELECT row_number() OVER (ORDER BY o.placed_at) AS count FROM orders o;

-- name: rank :one
-- returns: get_count
SELECT rank() OVER (PARTITION BY o.note ORDER BY o.placed_at) AS count FROM orders o;

-- name: running :one
-- returns: get_count
SELECT count(o.note) OVER (ORDER BY o.placed_at) AS count FROM orders o;
