-- name: quantity :one
-- returns: get_count
SELECT sum(i.quantity) AS count FROM items i WHERE i.order_id = :order_id;
