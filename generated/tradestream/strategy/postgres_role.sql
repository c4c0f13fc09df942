-- Rights of the role strategy_mcp in the database postgres. Run it as the owner of the database after each migration:
-- psql --set ON_ERROR_STOP=1 --single-transaction --file postgres_role.sql
-- The role cannot log in until it has a password: ALTER ROLE strategy_mcp LOGIN PASSWORD '...';
-- Generated from contracts/tradestream/strategy.json; do not edit. Regenerate with `nox -s generate`.

DO $role$
BEGIN
    IF to_regrole('"strategy_mcp"') IS NULL THEN
        CREATE ROLE "strategy_mcp";
    END IF;
    -- By default every role may create temporary tables, and before PostgreSQL 15 also others.
    EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
    EXECUTE format('REVOKE CREATE ON SCHEMA %I FROM PUBLIC', current_schema());
    EXECUTE format('GRANT USAGE ON SCHEMA %I TO "strategy_mcp"', current_schema());
    -- What an older contract granted.
    EXECUTE format('REVOKE ALL ON ALL TABLES IN SCHEMA %I FROM "strategy_mcp"', current_schema());
    EXECUTE format('REVOKE ALL ON ALL SEQUENCES IN SCHEMA %I FROM "strategy_mcp"', current_schema());
    IF has_database_privilege('strategy_mcp', current_database(), 'TEMPORARY')
       OR has_schema_privilege('strategy_mcp', current_schema(), 'CREATE') THEN
        RAISE EXCEPTION 'the role strategy_mcp can still create tables; run this as the owner of the database and its schema';
    END IF;
END
$role$;
GRANT SELECT ON "signals" TO "strategy_mcp";
GRANT SELECT ON "strategies" TO "strategy_mcp";
GRANT SELECT ON "strategy_performance" TO "strategy_mcp";
