-- name: title1 :many
SELECT o.order_id, o.title FROM orders o;

-- name: title_1 :many
SELECT o.title, o.order_id FROM orders o;
