-- name: found :many
SELECT o.customer_id, o.title, count(*) AS orders FROM orders o GROUP BY o.customer_id;
