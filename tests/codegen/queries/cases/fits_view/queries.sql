-- name: title :one
-- returns: get_text
SELECT title AS text FROM titles;

-- name: upper_title :one
-- returns: get_text
SELECT upper(t.title) AS text FROM titles t JOIN orders o USING (order_id);
