-- name: found :many
SELECT o.order_id FROM orders o
WHERE o.title = :what       -- when :by = one
WHERE o.title = ANY (:what) -- when :by = several
;
