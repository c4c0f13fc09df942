ALTER TABLE orders ADD COLUMN colour text;
ALTER TABLE order ADD COLUMN size text;
