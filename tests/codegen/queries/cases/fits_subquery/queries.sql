-- name: title :one
-- returns: get_text
SELECT found.text FROM (SELECT title AS text FROM orders WHERE is_gift ORDER BY order_id LIMIT 5) AS found;

-- name: nested :one
-- returns: get_text
SELECT b.text FROM (SELECT * FROM (SELECT upper(title) || '!' AS text FROM orders) AS a) AS b;
