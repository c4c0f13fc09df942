-- name: status :one
-- returns: get_status
SELECT o.title AS status FROM orders o;
