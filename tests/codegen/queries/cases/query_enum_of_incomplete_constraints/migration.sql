CREATE TABLE labels (
    with_null text CHECK (with_null IN ('open', NULL)),
    with_or text NOT NULL CHECK (with_or = 'open' OR with_or LIKE 'p%'),
    with_not text NOT NULL CHECK (with_not IN ('open', 'paid') OR with_not NOT IN ('closed')),
    of_parent text NOT NULL CONSTRAINT listed CHECK (of_parent IN ('open', 'paid')) NO INHERIT,
    padded char(6) NOT NULL CHECK (padded IN ('open', 'paid'))
);
