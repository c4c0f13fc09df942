-- name: list :one
-- returns: get_list
SELECT o.title AS list FROM orders o;
