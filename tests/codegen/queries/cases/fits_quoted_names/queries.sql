-- name: text :one
-- returns: get_text
SELECT o."from" AS text FROM "order" o WHERE o."Größe 😀" = :from AND o."a""b:c" > :class;

-- name: in_order :many
SELECT "select"."from" AS origin, "select"."a""b:c" AS number FROM "order" AS "select"
WHERE "select"."from" = :select?
ORDER BY "select"."from";
