-- name: tags :one
-- returns: get_list
SELECT o.tags AS list FROM orders o WHERE :tag = ANY (o.tags) AND o.order_id = ANY (:order_ids);

-- name: skus :one
-- returns: get_list
SELECT ARRAY(SELECT i.sku FROM items i WHERE i.order_id = o.order_id) AS list FROM orders o;

-- name: grouped :one
-- returns: get_list
SELECT array_agg(i.sku ORDER BY i.line) AS list FROM items i GROUP BY i.order_id;

-- name: longer :one
-- returns: get_list
SELECT o.tags || ARRAY[o.title::text] AS list FROM orders o;
