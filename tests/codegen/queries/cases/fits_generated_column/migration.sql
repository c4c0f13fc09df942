CREATE TABLE labels (
    label text NOT NULL,
    loud text NOT NULL GENERATED ALWAYS AS (upper(label)) STORED,
    length integer NOT NULL GENERATED ALWAYS AS (length(label)) VIRTUAL
);
