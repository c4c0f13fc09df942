-- name: status :one
-- returns: get_status
SELECT l.status FROM labels l;

-- name: short :one
-- returns: get_status
SELECT l.short AS status FROM labels l;
