CREATE TABLE "order" ("from" text NOT NULL);
