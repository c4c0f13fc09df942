-- Rights of the role stock in the database database. Run it as the owner of the database after each migration:
-- psql --set ON_ERROR_STOP=1 --single-transaction --file database_role.sql
-- The role cannot log in until it has a password: ALTER ROLE stock LOGIN PASSWORD '...';
-- Generated from contracts/shop/stock.json; do not edit. Regenerate with `toolaccord generate --package acme`.

DO $role$
BEGIN
    IF to_regrole('"stock"') IS NULL THEN
        CREATE ROLE "stock";
    END IF;
    -- By default every role may create temporary tables, and before PostgreSQL 15 also others.
    EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
    EXECUTE format('REVOKE CREATE ON SCHEMA %I FROM PUBLIC', current_schema());
    EXECUTE format('GRANT USAGE ON SCHEMA %I TO "stock"', current_schema());
    -- What an older contract granted.
    EXECUTE format('REVOKE ALL ON ALL TABLES IN SCHEMA %I FROM "stock"', current_schema());
    EXECUTE format('REVOKE ALL ON ALL SEQUENCES IN SCHEMA %I FROM "stock"', current_schema());
    IF has_database_privilege('stock', current_database(), 'TEMPORARY')
       OR has_schema_privilege('stock', current_schema(), 'CREATE') THEN
        RAISE EXCEPTION 'the role stock can still create tables; run this as the owner of the database and its schema';
    END IF;
END
$role$;
GRANT SELECT ON "articles" TO "stock";
