CREATE TABLE labels (label text);
CREATE SCHEMA archive;
CREATE TABLE archive.labels (label text NOT NULL);
