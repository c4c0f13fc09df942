-- Calls by the key their caller gave: what they were answered, so that one that comes again is answered alike.
-- answer is json, not jsonb: the text comes back as it was, members in their order and numbers as they were spelled.

CREATE TABLE idempotency_keys (
    caller text NOT NULL,
    tool text NOT NULL,
    key text NOT NULL CHECK (key ~ '^[A-Za-z0-9_.:-]{1,128}$'),
    fingerprint text NOT NULL,
    expires_at timestamptz NOT NULL CHECK (isfinite(expires_at)),
    answer json,
    PRIMARY KEY (caller, tool, key)
);

CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys (expires_at);

-- A key is claimed first and answered last, in one transaction. A claim that would be committed without its answer is
-- refused, which also catches a claim that was made outside a transaction.
CREATE FUNCTION idempotency_key_is_answered() RETURNS trigger LANGUAGE plpgsql AS $$
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

CREATE CONSTRAINT TRIGGER idempotency_keys_answered
    AFTER INSERT OR UPDATE ON idempotency_keys
    DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (NEW.answer IS NULL)
    EXECUTE FUNCTION idempotency_key_is_answered();
