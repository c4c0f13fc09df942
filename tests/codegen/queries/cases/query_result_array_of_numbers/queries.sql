-- name: list :one
-- returns: get_list
SELECT array_agg(i.quantity) AS list FROM items i GROUP BY i.order_id;
