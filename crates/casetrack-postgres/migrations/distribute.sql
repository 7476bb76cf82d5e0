-- Spreads the tables over the machines of a cluster of Citus. Run once, after the migrations of an empty store (src/distributing.rs).

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

-- They have queries, which Citus does not take. Others come with share_rights.sql.
DO $$
DECLARE
    p record;
BEGIN
    FOR p IN SELECT polname, polrelid::regclass AS t FROM pg_policy WHERE polrelid = ANY (ARRAY['buckets', 'documents', 'removed', 'pages', 'chunks',
        'vectors', 'fresh', 'segments', 'leaves']::regclass[]) LOOP
        EXECUTE format('DROP POLICY %I ON %s', p.polname, p.t);
    END LOOP;
END
$$;
SELECT create_distributed_table('buckets', 'route', colocate_with => 'none');
SELECT create_distributed_table(t, 'route', colocate_with => 'buckets')
FROM unnest(ARRAY['documents', 'removed', 'pages', 'chunks', 'vectors', 'fresh', 'segments', 'leaves']) AS t;
SELECT create_reference_table('layout');
-- The coordinator has it and all other tables. Since Citus knows of this one, every change of documents is committed in two phases, and whether it
-- was committed is for the coordinator to say.
SELECT citus_add_local_table_to_metadata('numbers');
