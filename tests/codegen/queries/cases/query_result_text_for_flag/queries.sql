-- name: flag :one
-- returns: get_flag
SELECT o.title AS flag FROM orders o;
