-- name: sku :one
-- returns: get_text
SELECT i.sku AS text
FROM orders o
CROSS JOIN LATERAL (SELECT sku FROM items WHERE order_id = o.order_id ORDER BY line LIMIT 1) i;

-- name: tag :one
-- returns: find_text
SELECT tag AS text FROM orders o, unnest(o.tags) AS tag;
