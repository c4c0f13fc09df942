-- name: add :exec
MERGE INTO items i USING orders o ON i.order_id = o.order_id
WHEN MATCHED AND o.is_gift THEN DELETE
WHEN NOT MATCHED THEN INSERT VALUES (o.order_id, 1, 'a', 1);
