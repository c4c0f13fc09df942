-- name: read :one
WITH gone AS (DELETE FROM items WHERE order_id = :order_id RETURNING sku) SELECT count(*) AS items FROM gone;
