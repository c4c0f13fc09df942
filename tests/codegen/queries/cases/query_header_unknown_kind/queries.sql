-- name: title :first
SELECT o.title FROM orders o;

-- name: Title :one
SELECT o.title FROM orders o;

-- name: empty :one
