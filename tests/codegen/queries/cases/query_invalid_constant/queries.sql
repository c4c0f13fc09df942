-- name: half :single
SELECT 1 / 0 AS half;
