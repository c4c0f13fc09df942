-- name: line :one
-- returns: get_text
SELECT l.line AS text FROM log l WHERE l.day > :day;

-- name: of_partition :one
-- returns: get_text
SELECT l.line AS text FROM log_new l;
