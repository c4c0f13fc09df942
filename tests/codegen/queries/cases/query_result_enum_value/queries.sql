-- name: status :one
-- returns: get_status
SELECT o.status FROM orders o;
