-- name: orders :page
DELETE FROM items RETURNING order_id;
