-- name: found :many
SELECT o.order_id FROM orders o
WHERE o.title <> :title
  AND o.title = :title?;
