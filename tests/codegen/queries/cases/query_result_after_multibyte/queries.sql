-- name: found :one
-- returns: get_text
SELECT /* Größe 😀 */ 'ß' || o.note AS text FROM orders o;
