-- name: most :one
-- returns: get_count
SELECT max(i.quantity) AS count FROM items i GROUP BY GROUPING SETS ((i.order_id), ());
