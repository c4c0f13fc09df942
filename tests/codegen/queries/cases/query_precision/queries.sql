-- name: total :one
-- returns: get_number
SELECT o.total AS number FROM orders o;
