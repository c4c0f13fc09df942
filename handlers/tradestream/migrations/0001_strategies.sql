-- Strategies: from the spec that says what to do, over its implementation for one symbol, to what runs and what it signalled.
-- Shares and confidences are fractions from 0 to 1. Comparing with 'Infinity' refuses NaN too, which sorts above it.

CREATE TABLE strategy_specs (
    spec_id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    name text NOT NULL UNIQUE CHECK (name <> ''),
    description text NOT NULL DEFAULT '',
    indicators jsonb NOT NULL CHECK (jsonb_typeof(indicators) = 'array'),
    entry_conditions jsonb NOT NULL CHECK (jsonb_typeof(entry_conditions) = 'array'),
    exit_conditions jsonb NOT NULL CHECK (jsonb_typeof(exit_conditions) = 'array'),
    parameters jsonb NOT NULL CHECK (jsonb_typeof(parameters) = 'array'),
    source text NOT NULL CHECK (source IN ('CANONICAL', 'LLM_GENERATED')),
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE strategy_implementations (
    impl_id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    spec_id uuid NOT NULL REFERENCES strategy_specs,
    symbol text NOT NULL CHECK (symbol ~ '^[A-Z0-9]{1,20}/[A-Z0-9]{1,20}$'),
    parameters jsonb NOT NULL CHECK (jsonb_typeof(parameters) = 'object'),
    status text NOT NULL DEFAULT 'CANDIDATE' CHECK (status IN ('CANDIDATE', 'VALIDATED', 'DEPLOYED', 'RETIRED')),
    forward_sharpe double precision CHECK (forward_sharpe > '-Infinity' AND forward_sharpe < 'Infinity'),
    forward_accuracy double precision CHECK (forward_accuracy BETWEEN 0 AND 1),
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX strategy_implementations_of_spec ON strategy_implementations (spec_id);

CREATE TABLE strategies (
    strategy_id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    impl_id uuid NOT NULL UNIQUE REFERENCES strategy_implementations,
    symbol text NOT NULL CHECK (symbol ~ '^[A-Z0-9]{1,20}/[A-Z0-9]{1,20}$'),
    name text NOT NULL CHECK (name <> ''),
    is_active boolean NOT NULL DEFAULT true,
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX strategies_active_on_symbol ON strategies (symbol) WHERE is_active;

-- The key also finds a strategy's newest row: the latest end, and of several periods that end together the shortest.
CREATE TABLE strategy_performance (
    strategy_id uuid NOT NULL REFERENCES strategies ON DELETE CASCADE,
    period_start date NOT NULL,
    period_end date NOT NULL,
    signals_count integer NOT NULL CHECK (signals_count >= 0),
    accuracy double precision NOT NULL CHECK (accuracy BETWEEN 0 AND 1),
    sharpe double precision NOT NULL CHECK (sharpe > '-Infinity' AND sharpe < 'Infinity'),
    total_return double precision NOT NULL CHECK (total_return >= -1 AND total_return < 'Infinity'),
    PRIMARY KEY (strategy_id, period_end, period_start),
    CHECK (period_start <= period_end)
);

CREATE TABLE signals (
    signal_id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    strategy_id uuid NOT NULL REFERENCES strategies ON DELETE CASCADE,
    symbol text NOT NULL CHECK (symbol ~ '^[A-Z0-9]{1,20}/[A-Z0-9]{1,20}$'),
    signal text NOT NULL CHECK (signal IN ('BUY', 'SELL', 'HOLD')),
    confidence double precision NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    price double precision NOT NULL CHECK (price > 0 AND price < 'Infinity'),
    parameters jsonb NOT NULL CHECK (jsonb_typeof(parameters) = 'object'),
    triggered_at timestamptz NOT NULL DEFAULT now() CHECK (isfinite(triggered_at))
);

CREATE INDEX signals_newest ON signals (strategy_id, symbol, triggered_at DESC, signal_id DESC);
