CREATE EXTENSION citext;
CREATE SCHEMA sales;
CREATE TYPE order_status AS ENUM ('new', 'paid', 'sent', 'it''s "odd"');
CREATE TYPE address AS (street text, zip varchar(10));
CREATE DOMAIN email AS citext CHECK (VALUE ~ '^[^@]+@[^@]+$');
CREATE DOMAIN positive AS integer NOT NULL CHECK (VALUE > 0);
CREATE FUNCTION shout(word text) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT upper(word) $$;

CREATE TABLE categories (
    id serial PRIMARY KEY,
    parent_id integer REFERENCES categories,
    name text NOT NULL
);

CREATE TABLE customers (
    customer_id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    "fullName" varchar(80) NOT NULL CHECK (char_length("fullName") >= 2),
    email email NOT NULL UNIQUE,
    vip boolean NOT NULL DEFAULT false,
    notes text,
    home address,
    profile jsonb NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE customers IS 'People who buy';
COMMENT ON COLUMN customers."fullName" IS 'Name as on the passport';

CREATE TABLE products (
    sku text PRIMARY KEY CHECK (sku ~ '^[A-Z]{2,4}-[0-9]{3}$'),
    title text NOT NULL CHECK (length(title) BETWEEN 1 AND 120),
    kind text NOT NULL DEFAULT 'book' CHECK (kind IN ('book', 'toy', 'game')),
    category_id integer REFERENCES categories,
    price numeric(10,2) NOT NULL CHECK (price >= 0),
    weight real CHECK (weight > 0),
    rating double precision DEFAULT 0.5 CHECK (rating BETWEEN 0 AND 5),
    tags text[] NOT NULL DEFAULT '{}' CHECK (cardinality(tags) <= 5),
    loud text GENERATED ALWAYS AS (shout(title)) STORED,
    released date,
    picture bytea,
    discount numeric
);
CREATE INDEX ON products (released);
CREATE INDEX ON products (price);
CREATE INDEX ON products (lower(title));

CREATE TABLE orders (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    customer_id integer NOT NULL REFERENCES customers,
    status order_status NOT NULL DEFAULT 'new',
    placed_at timestamptz NOT NULL DEFAULT now(),
    due timestamp,
    "from" inet,
    "limit" smallint NOT NULL DEFAULT 10,
    history order_status[],
    rates numeric[],
    period tstzrange,
    took interval,
    at_time time NOT NULL DEFAULT '12:00'
);
CREATE INDEX ON orders (customer_id);
CREATE INDEX ON orders (placed_at);
CREATE INDEX ON orders (due);
CREATE INDEX ON orders ("limit");

CREATE TABLE order_lines (
    order_id uuid NOT NULL REFERENCES orders ON DELETE CASCADE,
    line_no smallint NOT NULL,
    sku text NOT NULL REFERENCES products,
    quantity positive,
    price numeric(10,2),
    CONSTRAINT cheap_bulk CHECK (quantity < 100 OR price < 10),
    PRIMARY KEY (order_id, line_no)
);
CREATE INDEX ON order_lines (sku);

CREATE TABLE events (
    id bigserial,
    happened date NOT NULL,
    count integer NOT NULL DEFAULT 0,
    date date,
    other_date date,
    payload jsonb,
    PRIMARY KEY (id, happened)
) PARTITION BY RANGE (happened);
CREATE TABLE events_2026 PARTITION OF events FOR VALUES FROM ('2026-01-01') TO ('2027-01-01');

CREATE TABLE tags (name text PRIMARY KEY);
CREATE TABLE logs (line text);
CREATE FUNCTION keep_out() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
CREATE TABLE refused (id integer PRIMARY KEY, note text);
CREATE TRIGGER keeps_out BEFORE INSERT ON refused FOR EACH ROW EXECUTE FUNCTION keep_out();
CREATE TABLE sales.regions (code char(2) PRIMARY KEY, label text NOT NULL);

CREATE VIEW paid_orders AS
SELECT o.id, o.status, c."fullName", c.vip, o.placed_at
FROM orders o JOIN customers c USING (customer_id) WHERE o.status = 'paid';
COMMENT ON VIEW paid_orders IS 'Orders that were paid';
CREATE MATERIALIZED VIEW kinds AS SELECT kind, count(*) AS number FROM products GROUP BY kind;
