-- name: found :many
SELECT o.order_id, o.title AS "class" FROM orders o;
