ALTER TABLE items ALTER COLUMN quantity TYPE bigint;
