CREATE DOMAIN state AS text CHECK (VALUE IN ('open', 'lost'));
CREATE TABLE labels (status state NOT NULL);
