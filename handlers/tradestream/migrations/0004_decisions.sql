-- What agents decided, and why. tool_calls is json, not jsonb: an audit keeps the text as it was, members in their order.

CREATE TABLE agent_decisions (
    decision_id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    symbol text NOT NULL CHECK (symbol ~ '^[A-Z0-9]{1,20}/[A-Z0-9]{1,20}$'),
    action text NOT NULL CHECK (action IN ('BUY', 'SELL', 'HOLD')),
    confidence double precision NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    opportunity_score double precision CHECK (opportunity_score BETWEEN 0 AND 100),
    reasoning text NOT NULL CHECK (char_length(reasoning) BETWEEN 1 AND 10000),
    tool_calls json NOT NULL DEFAULT '[]' CHECK (json_typeof(tool_calls) = 'array'),
    created_at timestamptz NOT NULL DEFAULT now() CHECK (isfinite(created_at))
);

CREATE INDEX agent_decisions_newest ON agent_decisions (created_at DESC, decision_id);
CREATE INDEX agent_decisions_newest_on_symbol ON agent_decisions (symbol, created_at DESC, decision_id);
CREATE INDEX agent_decisions_newest_of_action ON agent_decisions (action, created_at DESC, decision_id);
CREATE INDEX agent_decisions_newest_of_both ON agent_decisions (symbol, action, created_at DESC, decision_id);
