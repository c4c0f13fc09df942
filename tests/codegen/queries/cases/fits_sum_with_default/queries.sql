-- name: quantity :single
-- returns: get_count
SELECT coalesce(sum(i.quantity), 0) AS count FROM items i;
