CREATE TABLE "order" ("from" text NOT NULL, "Größe 😀" text, "a""b:c" integer NOT NULL);
