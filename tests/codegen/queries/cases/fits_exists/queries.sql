-- name: flag :single
-- returns: get_flag
SELECT EXISTS (SELECT FROM items i WHERE i.order_id = :order_id) AS flag;

-- name: missing :one
-- returns: get_flag
SELECT NOT EXISTS (SELECT FROM items i WHERE i.order_id = o.order_id) AND o.is_gift AS flag FROM orders o;

-- name: known :one
-- returns: get_flag
SELECT o.note IS NOT NULL AS flag FROM orders o;

-- name: different :one
-- returns: get_flag
SELECT o.note IS DISTINCT FROM o.title AS flag FROM orders o;
