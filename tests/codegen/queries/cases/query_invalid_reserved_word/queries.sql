-- name: rows :many
SELECT o.user, o.order FROM order o;
