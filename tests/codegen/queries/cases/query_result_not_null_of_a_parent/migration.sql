CREATE TABLE labels (label_id bigint PRIMARY KEY, label text CONSTRAINT given NOT NULL NO INHERIT);
CREATE TABLE old_labels () INHERITS (labels);
