CREATE DOMAIN state AS text CHECK (VALUE IN ('open', 'closed'));
CREATE DOMAIN open_state AS state CHECK (VALUE <> 'closed');
CREATE DOMAIN short_text AS varchar(20) CHECK (length(VALUE) > 2);
CREATE TABLE labels (status open_state NOT NULL, short short_text NOT NULL);
