ALTER TABLE orders RENAME COLUMN title TO name;
