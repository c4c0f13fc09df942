-- name: clean :exec
-- Remove all items.
TRUNCATE items;
