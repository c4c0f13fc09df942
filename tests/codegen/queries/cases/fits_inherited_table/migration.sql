CREATE TABLE labels (label_id bigint PRIMARY KEY, label text NOT NULL);
CREATE TABLE old_labels (since date) INHERITS (labels);
