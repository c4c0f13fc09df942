-- name: read :one
DELETE FROM items WHERE order_id = :order_id RETURNING sku;
