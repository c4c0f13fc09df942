-- The queries of portfolio-mcp.

-- name: positions :page
-- returns: get_positions
-- Return the open positions of an account, the newest first; of one symbol if given.
SELECT p.symbol, p.side, p.size::double precision AS size, p.entry_price::double precision AS entry_price,
       p.current_price::double precision AS current_price, p.unrealized_pnl::double precision AS unrealized_pnl,
       p.opened_at
FROM positions p
WHERE p.account_id = :account_id AND p.closed_at IS NULL
  AND p.symbol = :symbol?
ORDER BY p.opened_at DESC, p.position_id;

-- name: is_account :single
-- Return whether there is an account with an id.
SELECT EXISTS (SELECT FROM accounts WHERE account_id = :account_id) AS is_account;

-- name: balance :one
-- returns: get_balance
-- Return the balances of an account, and what its open positions have gained.
SELECT a.total_balance::double precision AS total_balance, a.available_balance::double precision AS available_balance,
       a.margin_used::double precision AS margin_used,
       (SELECT coalesce(sum(p.unrealized_pnl), 0)::double precision FROM positions p
        WHERE p.account_id = a.account_id AND p.closed_at IS NULL) AS unrealized_pnl
FROM accounts a
WHERE a.account_id = :account_id;

-- name: trade_context :one
-- Return the balance, the units that a trade closes, and the newest prices.
SELECT a.available_balance,
       (SELECT coalesce(sum(p.size), 0) FROM positions p
        WHERE p.account_id = a.account_id AND p.symbol = :symbol AND p.closed_at IS NULL AND p.side = :closed_side
       ) AS closes,
       (SELECT p.current_price FROM positions p
        WHERE p.account_id = a.account_id AND p.symbol = :symbol AND p.closed_at IS NULL
        ORDER BY p.priced_at DESC, p.position_id LIMIT 1) AS position_price,
       (SELECT g.price FROM signals g
        WHERE g.symbol = :symbol AND g.triggered_at <= :now
        ORDER BY g.triggered_at DESC, g.signal_id DESC LIMIT 1) AS signal_price
FROM accounts a
WHERE a.account_id = :account_id;
