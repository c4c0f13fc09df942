-- name: referrers :one
-- returns: get_count
WITH RECURSIVE above AS (
    SELECT o.customer_id, o.referrer_id FROM orders o
    UNION
    SELECT a.referrer_id, o.referrer_id FROM above a JOIN orders o ON o.customer_id = a.referrer_id
)
SELECT customer_id AS count FROM above;
