-- name: title :one
-- returns: get_text
WITH found AS (SELECT title AS text FROM orders) SELECT text FROM found;

-- name: materialized :one
-- returns: get_text
WITH found AS MATERIALIZED (SELECT title AS text FROM orders), again AS (SELECT text FROM found)
SELECT a.text FROM again a JOIN found f USING (text);
