-- name: items :one
-- returns: get_count
SELECT (SELECT count(*) FROM items i WHERE i.order_id = o.order_id GROUP BY i.order_id) AS count FROM orders o;

-- name: items_having :one
-- returns: get_count
SELECT (SELECT count(*) FROM items i HAVING count(*) > 0) AS count FROM orders o;

-- name: items_limited :one
-- returns: get_count
SELECT (SELECT count(*) FROM items i OFFSET 1) AS count FROM orders o;
