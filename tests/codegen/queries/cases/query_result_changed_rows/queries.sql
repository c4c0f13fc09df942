-- name: change :one
-- returns: get_text
UPDATE orders SET note = NULL WHERE order_id = :order_id RETURNING note AS text;

-- name: moved :one
-- returns: get_text
UPDATE items i SET line = 2
FROM orders o LEFT JOIN customers c ON c.customer_id = o.referrer_id
WHERE o.order_id = i.order_id
RETURNING c.name AS text;
