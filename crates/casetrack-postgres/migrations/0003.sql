-- What merging removes is used again soon where no client of the owner of the tables sees to it (VACUUM): the server does, from one row in a hundred on.
ALTER TABLE leaves SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);

-- Over several machines, functions stay with the one that clients talk to.
SET LOCAL citus.enable_ddl_propagation = off;

-- The roles that may use the store, for the administrator.
CREATE FUNCTION admitted() RETURNS TABLE (who text, creates boolean) LANGUAGE sql STABLE SECURITY DEFINER SET search_path = casetrack, pg_temp
AS $$
    SELECT rolname::text, m.creates FROM members m JOIN pg_roles r ON r.oid = m.role WHERE is_administrator() ORDER BY rolname
$$;
