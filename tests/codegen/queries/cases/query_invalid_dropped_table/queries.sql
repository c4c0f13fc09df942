-- name: skus :many
SELECT sku FROM items;
