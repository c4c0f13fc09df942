-- name: quantity :one
-- returns: get_count
SELECT i.quantity / 2.5 AS count FROM items i WHERE i.order_id = :order_id;
