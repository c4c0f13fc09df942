-- name: items :one
-- returns: get_count
SELECT (SELECT count(*) FROM items i WHERE i.order_id = o.order_id) AS count FROM orders o;

-- name: quantity :one
-- returns: get_count
SELECT (SELECT coalesce(sum(i.quantity), 0) FROM items i WHERE i.order_id = o.order_id) AS count FROM orders o;

-- name: same :one
-- returns: get_text
SELECT (SELECT o.title) AS text FROM orders o;
