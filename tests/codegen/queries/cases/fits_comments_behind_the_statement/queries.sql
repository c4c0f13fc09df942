-- name: dashes :single
-- returns: get_text
SELECT '--x' AS text;

-- name: comments :single
-- returns: get_text
SELECT 'a' AS text; /* the end
   of it */ -- indeed

-- name: open_end :single
-- returns: get_text
SELECT 'it''s -- name: no :query' AS text
-- The last line.
