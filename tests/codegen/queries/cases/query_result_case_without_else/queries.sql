-- name: word :one
-- returns: get_text
SELECT CASE WHEN o.is_gift THEN 'gift' END AS text FROM orders o;
