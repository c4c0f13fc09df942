-- name: title :one
SELECT nvl(o.note, 'x') AS text FROM orders o;
