-- name: found :many
-- Trägt Umlaute: äöü €.
SELECT o.order_id, 'Größe 😀' AS size, o.colour AS colour
FROM orders o;
