-- name: quantity :one
-- returns: get_count
SELECT i.quantity AS count FROM items i;
