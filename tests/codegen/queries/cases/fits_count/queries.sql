-- name: orders :single
-- returns: get_count
SELECT count(*) AS count FROM orders;

-- name: referrers :single
-- returns: get_count
SELECT count(DISTINCT o.referrer_id) FILTER (WHERE o.is_gift) AS count FROM orders o;
