-- name: change :exec
DELETE FROM items i USING orders o WHERE o.order_id = i.order_id AND o.is_gift;
