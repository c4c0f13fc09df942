"""Queries of PostgreSQL's catalogue, whose columns are the fields of the records.

The search path is empty meanwhile, so that PostgreSQL writes every name with its schema.
"""

RELATIONS = """
SELECT c.oid::int8, n.nspname AS schema, quote_ident(n.nspname) AS namespace, c.relname AS name, format('%I.%I', n.nspname, c.relname) AS quoted,
       c.relkind::text AS kind, c.relispartition AS is_partition, pg_get_expr(c.relpartbound, c.oid) AS bound,
       CASE WHEN c.relkind = 'p' THEN pg_get_partkeydef(c.oid) END AS partition_key,
       CASE WHEN c.relkind IN ('v', 'm') THEN pg_get_viewdef(c.oid) END AS definition,
       coalesce((SELECT r.oid FROM pg_rewrite r WHERE r.ev_class = c.oid AND r.rulename = '_RETURN'), 0)::int8 AS rule,
       ARRAY(SELECT i.inhparent::int8 FROM pg_inherits i WHERE i.inhrelid = c.oid ORDER BY i.inhseqno) AS parents,
       (SELECT e.extname FROM pg_depend d JOIN pg_extension e ON e.oid = d.refobjid
        WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e') AS extension,
       ARRAY(SELECT t.tgname::text FROM pg_trigger t
             WHERE t.tgrelid = c.oid AND NOT t.tgisinternal AND t.tgparentid = 0 ORDER BY 1) AS triggers,
       ARRAY(SELECT p.polname::text FROM pg_policy p WHERE p.polrelid = c.oid ORDER BY 1) AS policies,
       obj_description(c.oid, 'pg_class') AS comment
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND c.relpersistence <> 't'
  AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
ORDER BY n.nspname, c.relname
"""

COLUMNS = """
SELECT a.attrelid::int8 AS relation, a.attnum::int4 AS number, a.attname AS name, quote_ident(a.attname) AS quoted, a.atttypid::int8 AS type,
       format_type(a.atttypid, a.atttypmod) AS form,
       information_schema._pg_char_max_length(b.oid, b.typmod) AS length,
       information_schema._pg_numeric_precision(b.oid, b.typmod) AS precision,
       information_schema._pg_numeric_scale(b.oid, b.typmod) AS scale,
       a.attnotnull AND c.relkind IN ('r', 'p') AS is_not_null, a.attidentity::text AS identity,
       a.attgenerated::text AS generated, pg_get_expr(d.adbin, d.adrelid) AS default,
       coalesce(d.oid, 0)::int8 AS default_oid,
       CASE WHEN a.attcollation <> 0 AND a.attcollation <> t.typcollation
            THEN (SELECT format('%%I.%%I', cn.nspname, co.collname) FROM pg_collation co
                  JOIN pg_namespace cn ON cn.oid = co.collnamespace WHERE co.oid = a.attcollation) END AS collation,
       a.attislocal AS is_local,
       (SELECT format('START WITH %%s INCREMENT BY %%s MINVALUE %%s MAXVALUE %%s CACHE %%s%%s', s.seqstart, s.seqincrement,
                      s.seqmin, s.seqmax, s.seqcache, CASE WHEN s.seqcycle THEN ' CYCLE' ELSE '' END)
        FROM pg_depend o JOIN pg_sequence s ON s.seqrelid = o.objid
        WHERE a.attidentity <> '' AND o.classid = 'pg_class'::regclass AND o.refclassid = 'pg_class'::regclass
          AND o.refobjid = a.attrelid AND o.refobjsubid = a.attnum AND o.deptype = 'i') AS identity_options,
       col_description(a.attrelid, a.attnum) AS comment
FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_type t ON t.oid = a.atttypid
LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
CROSS JOIN LATERAL (
    WITH RECURSIVE behind AS (
        SELECT t.oid, a.atttypmod AS typmod, t.typtype, t.typbasetype, t.typtypmod
        UNION ALL
        SELECT i.oid, behind.typtypmod, i.typtype, i.typbasetype, i.typtypmod
        FROM behind JOIN pg_type i ON behind.typtype = 'd' AND i.oid = behind.typbasetype
    )
    SELECT behind.oid, behind.typmod FROM behind WHERE behind.typtype <> 'd'
) AS b
WHERE a.attrelid = ANY(%s::oid[]) AND a.attnum > 0 AND NOT a.attisdropped
ORDER BY a.attrelid, a.attnum
"""

CONSTRAINTS = """
SELECT k.conrelid::int8 AS relation, k.oid::int8, k.conname AS name, quote_ident(k.conname) AS quoted,
       k.contype::text AS kind, pg_get_constraintdef(k.oid) AS definition,
       ARRAY(SELECT a.attname::text FROM unnest(k.conkey) WITH ORDINALITY u(number, place)
             JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = u.number ORDER BY u.place) AS columns,
       k.confrelid::int8 AS target, pg_get_expr(k.conbin, k.conrelid) AS expression, k.convalidated AS is_validated,
       k.conislocal AND k.conparentid = 0 AS is_local
FROM pg_constraint k
WHERE k.conrelid = ANY(%s::oid[]) AND k.contype IN ('p', 'u', 'f', 'c', 'x')
ORDER BY k.conrelid, strpos('pucxf', k.contype::text), k.conname
"""

INDEXES = """
SELECT i.indrelid::int8 AS relation, i.indexrelid::int8 AS oid, quote_ident(c.relname) AS quoted,
       pg_get_indexdef(i.indexrelid) AS definition, i.indisunique AS is_unique,
       i.indpred IS NULL AND i.indexprs IS NULL AND m.amname IN ('btree', 'hash') AS is_whole,
       NOT EXISTS (
           SELECT FROM unnest(i.indclass::oid[]) u JOIN pg_opclass o ON o.oid = u
           JOIN pg_namespace n ON n.oid = o.opcnamespace WHERE n.nspname <> 'pg_catalog'
       ) AS is_portable,
       ARRAY(SELECT a.attname::text FROM unnest(i.indkey::int2[]) WITH ORDINALITY u(number, place)
             JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = u.number
             WHERE u.place <= i.indnkeyatts ORDER BY u.place) AS columns,
       EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = i.indexrelid AND k.contype IN ('p', 'u', 'x'))
           OR EXISTS (SELECT FROM pg_inherits h WHERE h.inhrelid = i.indexrelid) AS is_made
FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am m ON m.oid = c.relam
WHERE i.indrelid = ANY(%s::oid[]) AND i.indisvalid
ORDER BY i.indrelid, c.relname
"""

TYPES = """
WITH RECURSIVE used AS (
    SELECT t.* FROM pg_type t WHERE t.oid = ANY(%s::oid[])
    UNION
    SELECT t.* FROM used JOIN pg_type t ON t.oid IN (
        SELECT used.typbasetype
        UNION ALL SELECT used.typelem WHERE used.typcategory = 'A'
        UNION ALL SELECT r.rngsubtype FROM pg_range r WHERE r.rngtypid = used.oid
        UNION ALL SELECT a.atttypid FROM pg_attribute a
                  WHERE used.typtype = 'c' AND a.attrelid = used.typrelid AND a.attnum > 0 AND NOT a.attisdropped
    )
)
SELECT t.oid::int8, format_type(t.oid, NULL) AS name, n.nspname AS schema, quote_ident(n.nspname) AS namespace,
       t.typtype::text AS kind,
       t.typcategory = 'A' AND t.typelem <> 0 AS is_array,
       CASE WHEN t.typcategory = 'A' THEN t.typelem ELSE 0 END::int8 AS item, t.typbasetype::int8 AS base,
       coalesce(format_type(nullif(t.typbasetype, 0), t.typtypmod), '') AS base_form,
       coalesce((SELECT c.relkind <> 'c' FROM pg_class c WHERE c.oid = t.typrelid), false) AS is_row,
       coalesce((SELECT r.rngsubtype FROM pg_range r WHERE r.rngtypid = t.oid), 0)::int8 AS subtype,
       t.typnotnull AS is_not_null, t.typdefault AS default,
       ARRAY(SELECT e.enumlabel::text FROM pg_enum e WHERE e.enumtypid = t.oid ORDER BY e.enumsortorder) AS labels,
       ARRAY(SELECT format('%%I %%s', a.attname, format_type(a.atttypid, a.atttypmod)) FROM pg_attribute a
             WHERE t.typtype = 'c' AND a.attrelid = t.typrelid AND a.attnum > 0 AND NOT a.attisdropped
             ORDER BY a.attnum) AS members,
       ARRAY(SELECT a.atttypid::int8 FROM pg_attribute a
             WHERE t.typtype = 'c' AND a.attrelid = t.typrelid AND a.attnum > 0 AND NOT a.attisdropped
             ORDER BY a.attnum) AS member_types,
       (SELECT e.extname FROM pg_depend d JOIN pg_extension e ON e.oid = d.refobjid
        WHERE d.classid = 'pg_type'::regclass AND d.objid = t.oid AND d.deptype = 'e') AS extension,
       obj_description(t.oid, 'pg_type') AS comment
FROM used t JOIN pg_namespace n ON n.oid = t.typnamespace
ORDER BY t.oid
"""

DOMAIN_CHECKS = """
SELECT k.contypid::int8 AS domain, k.oid::int8, quote_ident(k.conname) AS name, pg_get_constraintdef(k.oid) AS definition,
       coalesce(pg_get_expr(k.conbin, 0), '') AS expression, k.convalidated AS is_validated
FROM pg_constraint k WHERE k.contypid = ANY(%s::oid[]) AND k.contype = 'c'
ORDER BY k.contypid, k.conname
"""

NEEDS = """
SELECT d.classid::regclass::text AS catalogue, d.objid::int8 AS object, d.refclassid::regclass::text AS kind,
       d.refobjid::int8 AS oid, d.refobjsubid AS part, e.extname AS extension
FROM pg_depend d
LEFT JOIN pg_depend m ON m.classid = d.refclassid AND m.objid = d.refobjid AND m.deptype = 'e'
LEFT JOIN pg_extension e ON e.oid = m.refobjid
WHERE d.classid IN ('pg_attrdef'::regclass, 'pg_constraint'::regclass, 'pg_rewrite'::regclass, 'pg_class'::regclass,
                    'pg_type'::regclass)
  AND d.refclassid IN ('pg_proc'::regclass, 'pg_type'::regclass, 'pg_class'::regclass, 'pg_operator'::regclass,
                       'pg_opclass'::regclass)
  AND d.refobjid >= 16384 AND d.deptype IN ('n', 'a') AND (d.classid, d.objid) <> (d.refclassid, d.refobjid)
ORDER BY 1, 2, 3, 4
"""
"""Objects of the system have smaller oids, and are everywhere."""

SEQUENCES = """
SELECT c.oid::int8, quote_ident(n.nspname) AS namespace, format('%%I.%%I', n.nspname, c.relname) AS quoted,
       format('AS %%s START WITH %%s INCREMENT BY %%s MINVALUE %%s MAXVALUE %%s CACHE %%s%%s', format_type(s.seqtypid, NULL),
              s.seqstart, s.seqincrement, s.seqmin, s.seqmax, s.seqcache,
              CASE WHEN s.seqcycle THEN ' CYCLE' ELSE '' END) AS options,
       (SELECT format('%%I.%%I.%%I', tn.nspname, t.relname, a.attname)
        FROM pg_depend d JOIN pg_class t ON t.oid = d.refobjid JOIN pg_namespace tn ON tn.oid = t.relnamespace
        JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = d.refobjsubid
        WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.refclassid = 'pg_class'::regclass
          AND d.deptype = 'a') AS owner
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_sequence s ON s.seqrelid = c.oid
WHERE c.oid = ANY(%s::oid[])
ORDER BY c.oid
"""

FUNCTIONS = """
SELECT p.oid::int8, quote_ident(n.nspname) AS namespace, p.oid::regprocedure::text AS signature, pg_get_functiondef(p.oid) AS definition,
       l.lanname AS language
FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang JOIN pg_namespace n ON n.oid = p.pronamespace
WHERE p.oid = ANY(%s::oid[]) AND p.prokind IN ('f', 'p')
ORDER BY p.oid
"""

EXTENSIONS = """
SELECT e.extname AS name, quote_ident(n.nspname) AS schema FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
"""

DATABASE = """
SELECT current_database() AS database, current_schema() AS schema,
       (SELECT shobj_description(oid, 'pg_database') FROM pg_database WHERE datname = current_database()) AS comment
"""
