-- name: status :one
-- returns: get_status
SELECT o.status FROM orders o;

-- name: expression :one
-- returns: get_status
SELECT coalesce(nullif(o.status, 'open'), 'paid') AS status FROM orders o;
