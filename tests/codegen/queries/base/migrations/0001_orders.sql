CREATE TYPE order_status AS ENUM ('open', 'paid', 'closed');

CREATE TABLE customers (
    customer_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL,
    email text,
    tier text NOT NULL CHECK (tier IN ('open', 'closed')),
    joined_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE orders (
    order_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    customer_id bigint NOT NULL REFERENCES customers,
    referrer_id bigint REFERENCES customers,
    status order_status NOT NULL DEFAULT 'open',
    title varchar(40) NOT NULL,
    note text,
    total numeric(12, 2) NOT NULL,
    weight double precision,
    is_gift boolean NOT NULL DEFAULT false,
    tags text[] NOT NULL DEFAULT '{}',
    document jsonb NOT NULL DEFAULT '{}',
    placed_at timestamptz NOT NULL DEFAULT now(),
    paid_at timestamp NOT NULL DEFAULT now()
);
CREATE INDEX ON orders (customer_id);

CREATE TABLE items (
    order_id bigint NOT NULL REFERENCES orders,
    line integer NOT NULL,
    sku text NOT NULL,
    quantity integer NOT NULL,
    PRIMARY KEY (order_id, line)
);

CREATE VIEW titles AS SELECT order_id, title FROM orders;
