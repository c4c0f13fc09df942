-- name: address :one
SELECT l.place, l.places FROM labels l;
