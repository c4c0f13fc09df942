-- name: read :one
DELETE FROM "order" WHERE "from" = :from RETURNING "from" AS text;
