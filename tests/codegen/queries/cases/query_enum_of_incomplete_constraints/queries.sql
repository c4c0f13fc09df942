-- name: nothing :one
-- returns: get_status
SELECT coalesce(l.with_null, 'open') AS status FROM labels l;

-- name: with_null :many
SELECT l.with_null, l.with_or, l.with_not, l.of_parent, l.padded FROM labels l;

-- name: status :one
-- returns: get_status
SELECT l.with_or AS status FROM labels l;

-- name: padded :one
-- returns: get_status
SELECT l.padded AS status FROM labels l;

-- name: of_parent :one
-- returns: get_status
SELECT l.of_parent AS status FROM labels l;
