-- name: text :one
-- returns: get_text
WITH orders AS (SELECT title AS note FROM orders) SELECT note AS text FROM orders;
