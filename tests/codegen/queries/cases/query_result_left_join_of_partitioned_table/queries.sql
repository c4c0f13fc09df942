-- name: line :one
-- returns: get_text
SELECT l.line AS text FROM orders o LEFT JOIN log l ON l.day = o.placed_at::date;

-- name: of_partition :one
-- returns: get_text
SELECT l.line AS text FROM orders o LEFT JOIN log_new l ON l.day = o.placed_at::date;
