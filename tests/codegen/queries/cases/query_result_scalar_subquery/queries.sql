-- name: sku :one
-- returns: get_text
SELECT (SELECT i.sku FROM items i WHERE i.order_id = o.order_id LIMIT 1) AS text FROM orders o;
