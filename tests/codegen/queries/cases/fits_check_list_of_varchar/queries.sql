-- name: status :one
-- returns: get_status
SELECT l.status FROM labels l;
