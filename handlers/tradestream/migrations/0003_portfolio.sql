-- What is held, and what may still be spent. Money is exact: numeric, of which NaN sorts above every number.

CREATE TABLE accounts (
    account_id text PRIMARY KEY CHECK (char_length(account_id) BETWEEN 1 AND 128),
    total_balance numeric(38, 18) NOT NULL CHECK (abs(total_balance) < 1e15),
    available_balance numeric(38, 18) NOT NULL CHECK (abs(available_balance) < 1e15),
    margin_used numeric(38, 18) NOT NULL CHECK (margin_used >= 0 AND margin_used < 1e15),
    updated_at timestamptz NOT NULL DEFAULT now() CHECK (isfinite(updated_at))
);

-- Prices are in the account's currency. A position is open until it has closed_at.
CREATE TABLE positions (
    position_id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    account_id text NOT NULL REFERENCES accounts,
    symbol text NOT NULL CHECK (symbol ~ '^[A-Z0-9]{1,20}/[A-Z0-9]{1,20}$'),
    side text NOT NULL CHECK (side IN ('LONG', 'SHORT')),
    size numeric(38, 18) NOT NULL CHECK (size > 0 AND size < 1e15),
    entry_price numeric(38, 18) NOT NULL CHECK (entry_price > 0 AND entry_price < 1e15),
    current_price numeric(38, 18) NOT NULL CHECK (current_price > 0 AND current_price < 1e15),
    priced_at timestamptz NOT NULL DEFAULT now() CHECK (isfinite(priced_at)),
    opened_at timestamptz NOT NULL DEFAULT now() CHECK (isfinite(opened_at)),
    closed_at timestamptz CHECK (isfinite(closed_at) AND closed_at >= opened_at),
    unrealized_pnl numeric NOT NULL GENERATED ALWAYS AS (
        CASE side WHEN 'LONG' THEN current_price - entry_price ELSE entry_price - current_price END * size
    ) STORED
);

CREATE INDEX positions_open ON positions (account_id, opened_at DESC, position_id) WHERE closed_at IS NULL;
CREATE INDEX positions_open_in_symbol ON positions (account_id, symbol, opened_at DESC, position_id) WHERE closed_at IS NULL;

-- The newest price of a symbol, whichever strategy saw it.
CREATE INDEX signals_newest_in_symbol ON signals (symbol, triggered_at DESC, signal_id DESC);
