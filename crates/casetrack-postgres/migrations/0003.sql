-- What merging removes is used again soon where no client of the owner of the tables sees to it (VACUUM): the server does, from one row in a hundred on.
ALTER TABLE leaves SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);

-- The roles that may use the store, for the administrator.
CREATE FUNCTION admitted() RETURNS TABLE (who text, creates boolean) LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = casetrack, pg_temp
AS $$
BEGIN
    RETURN QUERY SELECT r.rolname::text, m.creates FROM members m JOIN pg_roles r ON r.oid = m.role WHERE is_administrator() ORDER BY r.rolname;
END
$$;

-- The buckets of a collection that the caller made in this transaction. On other machines of a cluster, nobody else sees the right to it yet.
CREATE FUNCTION make_buckets(wanted uuid, routes bigint[]) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = casetrack, pg_temp
AS $$
BEGIN
    IF level_of(wanted) = 3 THEN
        INSERT INTO buckets (route, collection, bucket) SELECT route, wanted, number - 1 FROM unnest(routes) WITH ORDINALITY AS own(route, number);
    END IF;
END
$$;
