-- name: read :exec
INSERT INTO titles (title) VALUES ('a');
