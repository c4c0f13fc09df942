-- name: sku :one
-- returns: get_text
SELECT i.sku AS text
FROM orders o
LEFT JOIN LATERAL (SELECT sku FROM items WHERE order_id = o.order_id ORDER BY line LIMIT 1) i ON true;
