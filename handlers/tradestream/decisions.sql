-- The queries of decisions-mcp.

-- name: recent_decisions :page
-- returns: get_recent_decisions
-- Return the decisions, newest first; of one symbol or action if given.
SELECT d.decision_id, d.symbol, d.action, d.confidence, d.opportunity_score, d.reasoning, d.created_at
FROM agent_decisions d
WHERE true
  AND d.symbol = :symbol?
  AND d.action = :action?
ORDER BY d.created_at DESC, d.decision_id;

-- name: save :single
-- null: opportunity_score
-- Save a decision, and return its id.
INSERT INTO agent_decisions (symbol, action, confidence, opportunity_score, reasoning, tool_calls, created_at)
VALUES (:symbol, :action, :confidence, :opportunity_score, :reasoning, :tool_calls, :created_at)
RETURNING decision_id;
