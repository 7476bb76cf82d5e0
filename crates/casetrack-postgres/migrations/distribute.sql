-- Spreads the tables over the machines of a cluster of Citus. Run once, after the migrations of an empty store (src/distributing.rs).

-- Policies with queries cannot be had on distributed tables, so that nobody but the owner of the tables gets any right here.
DO $$
DECLARE
    t text;
    p name;
BEGIN
    FOREACH t IN ARRAY ARRAY['buckets', 'documents', 'removed', 'pages', 'chunks', 'vectors', 'fresh', 'segments', 'leaves'] LOOP
        FOR p IN SELECT polname FROM pg_policy WHERE polrelid = t::regclass LOOP
            EXECUTE format('DROP POLICY %I ON %I', p, t);
        END LOOP;
        EXECUTE format('ALTER TABLE %I DISABLE ROW LEVEL SECURITY', t);
    END LOOP;
END
$$;

CREATE OR REPLACE FUNCTION admit(who text, creating boolean) RETURNS void LANGUAGE plpgsql SET search_path = casetrack, pg_temp
AS $$
BEGIN
    RAISE SQLSTATE 'CT001' USING MESSAGE = 'rights of roles cannot be held over several machines';
END
$$;

-- As before, of all machines. Citus plans no statements with parameters in functions of SQL.
CREATE OR REPLACE FUNCTION sizes(wanted uuid) RETURNS TABLE (name text, bytes bigint) LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = casetrack, pg_temp
AS $$
DECLARE
    own numeric;
    every numeric;
BEGIN
    SELECT coalesce(sum(b.chunks) FILTER (WHERE b.collection = wanted), 0), coalesce(sum(b.chunks), 0) INTO own, every FROM buckets b;
    RETURN QUERY SELECT t, (citus_total_relation_size(('casetrack.' || t)::regclass) * own / greatest(every, 1))::bigint
        FROM unnest(ARRAY['documents', 'pages', 'chunks', 'removed', 'vectors', 'fresh', 'leaves', 'segments']) AS t
        WHERE level_of(wanted) > 0;
END
$$;

SELECT create_distributed_table('buckets', 'route', colocate_with => 'none');
SELECT create_distributed_table(t, 'route', colocate_with => 'buckets')
FROM unnest(ARRAY['documents', 'removed', 'pages', 'chunks', 'vectors', 'fresh', 'segments', 'leaves']) AS t;
SELECT create_reference_table('layout');
-- The coordinator has it and all other tables. Since Citus knows of this one, every change of documents is committed in two phases, and whether it
-- was committed is for the coordinator to say.
SELECT citus_add_local_table_to_metadata('numbers');
