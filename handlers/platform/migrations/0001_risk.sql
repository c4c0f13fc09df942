-- What portfolios may hold, what they hold, and what it is worth. Amounts are exact: numeric, of which NaN sorts above
-- every number.

CREATE TABLE instruments (
    symbol text PRIMARY KEY CHECK (symbol ~ '^[A-Z]{3,6}(/[A-Z]{3,6})?$'),
    -- Instruments that move together, such as the shares of a sector; null for an instrument on its own.
    correlation_group text CHECK (char_length(correlation_group) BETWEEN 1 AND 50),
    -- The smallest difference of two quantities that can be traded.
    quantity_step numeric(38, 18) NOT NULL DEFAULT 0.00000001 CHECK (quantity_step > 0 AND quantity_step < 1e12)
);

-- The last price of each day, in the one currency in which portfolios are measured. The newest is the current price.
CREATE TABLE instrument_prices (
    symbol text NOT NULL REFERENCES instruments,
    day date NOT NULL CHECK (isfinite(day)),
    price numeric(38, 18) NOT NULL CHECK (price > 0 AND price < 1e15),
    PRIMARY KEY (symbol, day)
);

-- Units of an instrument; a short position is negative.
CREATE TABLE portfolio_positions (
    portfolio_id text NOT NULL CHECK (portfolio_id ~ '^[a-zA-Z0-9_-]{1,50}$'),
    symbol text NOT NULL REFERENCES instruments,
    quantity numeric(38, 18) NOT NULL CHECK (abs(quantity) < 1e15),
    PRIMARY KEY (portfolio_id, symbol)
);

-- A limit with a symbol replaces the portfolio's limit of the same type for that symbol.
CREATE TABLE portfolio_limits (
    portfolio_id text NOT NULL CHECK (portfolio_id ~ '^[a-zA-Z0-9_-]{1,50}$'),
    rule_name text NOT NULL CHECK (char_length(rule_name) BETWEEN 1 AND 50),
    limit_type text NOT NULL CHECK (limit_type IN (
        'position_limit_per_symbol', 'max_position_value', 'max_total_exposure', 'max_concentration',
        'max_correlated_exposure', 'max_value_at_risk'
    )),
    symbol text REFERENCES instruments,
    threshold numeric(38, 18) NOT NULL CHECK (threshold >= 0 AND threshold < 1e15),
    PRIMARY KEY (portfolio_id, rule_name),
    UNIQUE NULLS NOT DISTINCT (portfolio_id, limit_type, symbol),
    CHECK (limit_type <> 'max_concentration' OR threshold <= 1)
);
