-- Rights of the role strategy_db_mcp in the database postgres. Run it as the owner of the database after each migration:
-- psql --set ON_ERROR_STOP=1 --single-transaction --file postgres_role.sql
-- The role cannot log in until it has a password: ALTER ROLE strategy_db_mcp LOGIN PASSWORD '...';
-- Generated from contracts/tradestream/strategy_db.json; do not edit. Regenerate with `nox -s generate`.

DO $role$
BEGIN
    IF to_regrole('"strategy_db_mcp"') IS NULL THEN
        CREATE ROLE "strategy_db_mcp";
    END IF;
    -- By default every role may create temporary tables, and before PostgreSQL 15 also others.
    EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
    EXECUTE format('REVOKE CREATE ON SCHEMA %I FROM PUBLIC', current_schema());
    EXECUTE format('GRANT USAGE ON SCHEMA %I TO "strategy_db_mcp"', current_schema());
    -- What an older contract granted.
    EXECUTE format('REVOKE ALL ON ALL TABLES IN SCHEMA %I FROM "strategy_db_mcp"', current_schema());
    EXECUTE format('REVOKE ALL ON ALL SEQUENCES IN SCHEMA %I FROM "strategy_db_mcp"', current_schema());
    IF has_database_privilege('strategy_db_mcp', current_database(), 'TEMPORARY')
       OR has_schema_privilege('strategy_db_mcp', current_schema(), 'CREATE') THEN
        RAISE EXCEPTION 'the role strategy_db_mcp can still create tables; run this as the owner of the database and its schema';
    END IF;
END
$role$;
GRANT SELECT, INSERT, UPDATE, DELETE ON "idempotency_keys" TO "strategy_db_mcp";
GRANT SELECT ON "strategy_implementations" TO "strategy_db_mcp";
GRANT SELECT, INSERT ON "strategy_specs" TO "strategy_db_mcp";

-- Sequences that number the rows which it adds, as those of serial columns do.
DO $role$
DECLARE
    each regclass;
BEGIN
    FOR each IN
        SELECT DISTINCT d.refobjid FROM pg_attrdef a
        JOIN pg_depend d ON d.classid = 'pg_attrdef'::regclass AND d.objid = a.oid AND d.refclassid = 'pg_class'::regclass
        JOIN pg_class s ON s.oid = d.refobjid AND s.relkind = 'S'
        WHERE a.adrelid IN ('"idempotency_keys"'::regclass, '"strategy_specs"'::regclass)
    LOOP
        EXECUTE format('GRANT USAGE ON SEQUENCE %s TO "strategy_db_mcp"', each);
    END LOOP;
END
$role$;
