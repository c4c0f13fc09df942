-- name: lowest :one
-- returns: get_count
SELECT lower('[,5)'::int4range) AS count;
