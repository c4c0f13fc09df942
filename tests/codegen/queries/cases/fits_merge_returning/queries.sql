-- name: merge :one
-- returns: change_order
MERGE INTO items i USING orders o ON i.order_id = o.order_id
WHEN MATCHED THEN UPDATE SET quantity = 0
WHEN NOT MATCHED THEN INSERT VALUES (o.order_id, 1, 'a', 1)
RETURNING i.order_id;
