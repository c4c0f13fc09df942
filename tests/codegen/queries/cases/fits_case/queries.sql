-- name: word :one
-- returns: get_text
SELECT CASE WHEN o.is_gift THEN 'gift' WHEN o.note IS NULL THEN o.title ELSE 'order' END AS text FROM orders o;

-- name: simple :one
-- returns: get_count
SELECT CASE o.status WHEN 'open' THEN 1 ELSE 0 END AS count FROM orders o;
