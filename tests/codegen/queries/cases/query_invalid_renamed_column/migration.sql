ALTER TABLE orders ADD COLUMN titles text;
