-- What merging removes is used again soon where no client of the owner of the tables sees to it (VACUUM): the server does, from one row in a hundred on.
ALTER TABLE leaves SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);

-- The roles that may use the store, for the administrator. In this language, other machines of a cluster take it, too, which do not have the table.
CREATE FUNCTION admitted() RETURNS TABLE (who text, creates boolean) LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = casetrack, pg_temp
AS $$
BEGIN
    RETURN QUERY SELECT r.rolname::text, m.creates FROM members m JOIN pg_roles r ON r.oid = m.role WHERE is_administrator() ORDER BY r.rolname;
END
$$;
