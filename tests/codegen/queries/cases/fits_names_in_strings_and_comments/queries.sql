-- name: text :one
-- returns: get_text
-- null: note
-- :not_this one
SELECT ':a' || E'\':b' || $$:c ' $$ || $x$:d $$ :e$x$ || U&'\0041:f' AS text -- :g ;
     /* :h /* :i */ ';' :j */
FROM orders o
WHERE o.title = :title::text AND o.note = :note::varchar(5) AND o.tags[1 : 2] = ARRAY['-- :k', '/* :l'];
