-- name: label :one
-- returns: get_text
WITH first AS (SELECT note || '' AS label FROM orders), orders AS (SELECT 'a' AS note)
SELECT label AS text FROM first;

-- name: qualified :one
-- returns: get_text
WITH orders AS (SELECT 'a' AS note) SELECT o.note || '' AS text FROM public.orders o;
