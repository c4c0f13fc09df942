-- Calls by the key that their caller gave, and their answers, so that a repeated call gets the stored one.
-- answer is json, not jsonb: the text comes back as it was, members in their order and numbers as they were spelled.
-- A database may have the table already, from before the library installed it.

CREATE TABLE IF NOT EXISTS idempotency_keys (
    caller text NOT NULL,
    tool text NOT NULL,
    key text NOT NULL CHECK (key ~ '^[A-Za-z0-9_.:-]{1,128}$'),
    fingerprint text NOT NULL,
    expires_at timestamptz NOT NULL CHECK (isfinite(expires_at)),
    answer json,
    PRIMARY KEY (caller, tool, key)
);

CREATE INDEX IF NOT EXISTS idempotency_keys_by_expiry ON idempotency_keys (expires_at);

-- A key is claimed first and answered last, in one transaction. A claim that would be committed without its answer is
-- refused, which also catches a claim that was made outside a transaction.
CREATE OR REPLACE FUNCTION idempotency_key_is_answered() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM idempotency_keys k
        WHERE k.caller = NEW.caller AND k.tool = NEW.tool AND k.key = NEW.key AND k.answer IS NULL
    ) THEN
        RAISE not_null_violation USING
            MESSAGE = 'an idempotency key is committed together with its answer', TABLE = 'idempotency_keys';
    END IF;
    RETURN NULL;
END
$$;

DO $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM pg_trigger WHERE tgrelid = 'idempotency_keys'::regclass AND tgname = 'idempotency_keys_answered'
    ) THEN
        CREATE CONSTRAINT TRIGGER idempotency_keys_answered
            AFTER INSERT OR UPDATE ON idempotency_keys
            DEFERRABLE INITIALLY DEFERRED
            FOR EACH ROW WHEN (NEW.answer IS NULL)
            EXECUTE FUNCTION idempotency_key_is_answered();
    END IF;
END
$$;
