-- name: before :one
-- returns: get_text
SELECT lag(o.title) OVER (ORDER BY o.order_id) AS text FROM orders o;

-- name: tile :one
-- returns: get_count
SELECT ntile(o.customer_id::int) OVER () AS count FROM orders o;
