-- name: words :one
-- returns: get_text
SELECT o.title AS text FROM orders o UNION ALL SELECT o.note FROM orders o;

-- name: words_in_from :one
-- returns: get_text
SELECT w.word AS text FROM (SELECT title AS word FROM orders UNION SELECT NULL) w;
