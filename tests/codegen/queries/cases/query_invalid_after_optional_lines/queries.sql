-- name: found :many
SELECT o.order_id, o.title
FROM orders o
WHERE true
  AND o.title = :title?
  AND o.note = :note?
  AND o.colour = 'red';
