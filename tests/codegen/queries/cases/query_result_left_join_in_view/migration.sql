CREATE VIEW referrers AS
SELECT o.order_id, c.name FROM orders o LEFT JOIN customers c ON c.customer_id = o.referrer_id;
