-- Rights of the role portfolio_mcp in the database postgres. Run it as the owner of the database after each migration:
-- psql --set ON_ERROR_STOP=1 --single-transaction --file postgres_role.sql
-- The role cannot log in until it has a password: ALTER ROLE portfolio_mcp LOGIN PASSWORD '...';
-- Generated from contracts/tradestream/portfolio.json; do not edit. Regenerate with `nox -s generate`.

DO $role$
BEGIN
    IF to_regrole('"portfolio_mcp"') IS NULL THEN
        CREATE ROLE "portfolio_mcp";
    END IF;
    -- By default every role may create temporary tables, and before PostgreSQL 15 also others.
    EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
    EXECUTE format('REVOKE CREATE ON SCHEMA %I FROM PUBLIC', current_schema());
    EXECUTE format('GRANT USAGE ON SCHEMA %I TO "portfolio_mcp"', current_schema());
    -- What an older contract granted.
    EXECUTE format('REVOKE ALL ON ALL TABLES IN SCHEMA %I FROM "portfolio_mcp"', current_schema());
    EXECUTE format('REVOKE ALL ON ALL SEQUENCES IN SCHEMA %I FROM "portfolio_mcp"', current_schema());
    IF has_database_privilege('portfolio_mcp', current_database(), 'TEMPORARY')
       OR has_schema_privilege('portfolio_mcp', current_schema(), 'CREATE') THEN
        RAISE EXCEPTION 'the role portfolio_mcp can still create tables; run this as the owner of the database and its schema';
    END IF;
END
$role$;
GRANT SELECT ON "accounts" TO "portfolio_mcp";
GRANT SELECT ON "positions" TO "portfolio_mcp";
GRANT SELECT ON "signals" TO "portfolio_mcp";
