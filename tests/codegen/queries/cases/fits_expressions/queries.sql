-- name: count :one
-- returns: get_count
SELECT i.quantity * 2 + i.line - abs(-1) AS count FROM items i;

-- name: flag :one
-- returns: get_flag
SELECT i.quantity > 2 AND i.sku LIKE 'a%' OR i.sku IN ('a', 'b') AND i.line BETWEEN 1 AND 3 AS flag FROM items i;

-- name: text :one
-- returns: get_text
SELECT lower(replace(o.title, ' ', '-')) || ': ' || o.status::text || length(o.title) AS text FROM orders o;

-- name: joined :one
-- returns: get_text
SELECT concat(o.title, o.note) AS text FROM orders o;

-- name: known_title :one
-- returns: get_flag
SELECT o.title IN ('a', 'b') AS flag FROM orders o;
