-- name: score :one
-- returns: get_count
SELECT (o.document -> 'score')::int AS count FROM orders o;

-- name: whole :one
-- returns: get_count
SELECT o.document::int AS count FROM orders o;

-- name: literal :one
-- returns: get_count
SELECT 'null'::jsonb::int AS count;

-- name: text_as_json :one
-- returns: get_count
SELECT o.title::jsonb::int AS count FROM orders o;
