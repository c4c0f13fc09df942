-- name: numbers :one
-- returns: get_count
WITH RECURSIVE numbers (one, two, three) AS (
    SELECT 1, 2, NULL::integer UNION ALL SELECT two, three, one FROM numbers WHERE one < 5
)
SELECT one AS count FROM numbers;
