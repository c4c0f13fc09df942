-- name: found :one
-- returns: get_text
WITH found AS (
    SELECT o.order_id FROM orders o WHERE true
      AND o.title = :title?
)
SELECT /* text */ o.note AS text FROM orders o JOIN found USING (order_id);
