CREATE TABLE labels (content bytea NOT NULL);
