-- name: above :one
-- returns: get_text
WITH RECURSIVE above AS (
    SELECT c.customer_id, c.name FROM customers c WHERE c.customer_id = :customer_id
    UNION
    SELECT r.customer_id, r.name || ' < ' || a.name
    FROM above a
    JOIN orders o ON o.customer_id = a.customer_id
    JOIN customers r ON r.customer_id = o.referrer_id
)
SELECT a.name AS text FROM above a;

-- name: numbers :one
-- returns: get_count
WITH RECURSIVE numbers (one, other) AS (SELECT 1, 2 UNION ALL SELECT other, one + 1 FROM numbers WHERE one < 5)
SELECT one AS count FROM numbers;
