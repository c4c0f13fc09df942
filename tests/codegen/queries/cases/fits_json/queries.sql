-- name: document :one
-- returns: get_document
SELECT o.document FROM orders o WHERE o.document @> :part;

-- name: built :one
-- returns: get_document
SELECT jsonb_build_object('title', o.title, 'note', o.note) AS document FROM orders o;

-- name: number :one
-- returns: get_number
SELECT coalesce((o.document ->> 'score')::double precision, 0) AS number FROM orders o;
