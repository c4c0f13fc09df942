-- name: name :one
-- returns: get_text
SELECT r.name AS text FROM referrers r;
