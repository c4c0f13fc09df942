-- name: totals :page
SELECT o.order_id AS ordinal, o.total, o.title AS page, o.order_id AS counted, o.order_id AS listed
FROM orders o
ORDER BY o.order_id;
