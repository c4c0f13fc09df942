-- Rights of the role risk_mcp in the database postgres. Run it as the owner of the database after each migration:
-- psql --set ON_ERROR_STOP=1 --single-transaction --file postgres_role.sql
-- The role cannot log in until it has a password: ALTER ROLE risk_mcp LOGIN PASSWORD '...';
-- Generated from contracts/platform/risk.json; do not edit. Regenerate with `nox -s generate`.

DO $role$
BEGIN
    IF to_regrole('"risk_mcp"') IS NULL THEN
        CREATE ROLE "risk_mcp";
    END IF;
    -- By default every role may create temporary tables, and before PostgreSQL 15 also others.
    EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
    EXECUTE format('REVOKE CREATE ON SCHEMA %I FROM PUBLIC', current_schema());
    EXECUTE format('GRANT USAGE ON SCHEMA %I TO "risk_mcp"', current_schema());
    -- What an older contract granted.
    EXECUTE format('REVOKE ALL ON ALL TABLES IN SCHEMA %I FROM "risk_mcp"', current_schema());
    EXECUTE format('REVOKE ALL ON ALL SEQUENCES IN SCHEMA %I FROM "risk_mcp"', current_schema());
    IF has_database_privilege('risk_mcp', current_database(), 'TEMPORARY')
       OR has_schema_privilege('risk_mcp', current_schema(), 'CREATE') THEN
        RAISE EXCEPTION 'the role risk_mcp can still create tables; run this as the owner of the database and its schema';
    END IF;
END
$role$;
GRANT SELECT ON "instrument_prices" TO "risk_mcp";
GRANT SELECT ON "instruments" TO "risk_mcp";
GRANT SELECT ON "portfolio_limits" TO "risk_mcp";
GRANT SELECT ON "portfolio_positions" TO "risk_mcp";
