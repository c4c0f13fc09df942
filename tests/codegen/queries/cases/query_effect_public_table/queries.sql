-- name: read :exec
INSERT INTO log VALUES ('read');
