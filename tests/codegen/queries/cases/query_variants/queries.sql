-- name: found :many
SELECT o.order_id FROM orders o WHERE true
  AND o.title = :title?
  AND o.note = :note?
  AND o.weight > :weight?
  AND o.is_gift = :is_gift?
  AND o.placed_at > :placed?
  AND o.paid_at > :paid?
  AND o.customer_id = :customer_id?;
