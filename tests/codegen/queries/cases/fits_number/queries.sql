-- name: total :one
-- returns: get_number
SELECT o.total::double precision AS number FROM orders o;

-- name: quantity :one
-- returns: get_number
SELECT i.quantity AS number FROM items i;

-- name: whole :one
-- returns: get_count
SELECT (o.total * 100)::bigint AS count FROM orders o;
