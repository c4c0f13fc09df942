-- name: change :one
-- returns: get_text
MERGE INTO orders o
USING customers c ON c.customer_id = o.customer_id
WHEN NOT MATCHED BY SOURCE THEN DELETE
RETURNING c.name AS text;
