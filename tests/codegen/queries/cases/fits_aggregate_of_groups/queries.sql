-- name: most :one
-- returns: get_count
SELECT max(i.quantity) AS count FROM items i GROUP BY i.order_id HAVING count(*) > 1;

-- name: grouped :one
-- returns: get_text
SELECT o.title || '' AS text FROM orders o GROUP BY o.title || '';

-- name: joined :one
-- returns: get_text
SELECT string_agg(i.sku, ', ') AS text FROM items i GROUP BY i.order_id;
