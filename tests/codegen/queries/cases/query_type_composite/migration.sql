CREATE TYPE place AS (street text, number integer);
CREATE TABLE labels (place place NOT NULL, places place[] NOT NULL);
