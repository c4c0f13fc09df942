-- name: tier :one
-- returns: get_status
SELECT c.tier AS status FROM customers c;

-- name: in_view :one
-- returns: get_status
SELECT k.status FROM (SELECT c.tier AS status FROM customers c) k;
