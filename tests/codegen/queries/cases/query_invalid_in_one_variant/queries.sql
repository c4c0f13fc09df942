-- name: found :many
SELECT o.order_id, o.title
FROM orders o
WHERE o.is_gift AND
  o.title = :title?
ORDER BY o.order_id;
