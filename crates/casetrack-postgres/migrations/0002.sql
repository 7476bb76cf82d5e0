-- Users. A role has a right to a collection if it was granted to it, or to a role that it is a member of. The owner of the tables, and roles that
-- pass over row-level security, have all of them.

-- Roles that may use the store.
CREATE TABLE members (
    role regrole PRIMARY KEY,
    -- Whether it may make collections.
    creates boolean NOT NULL
);

CREATE TABLE grants (
    collection uuid NOT NULL,
    role regrole NOT NULL,
    -- 1: reads; 2: changes documents as well; 3: owns.
    level smallint NOT NULL CHECK (level BETWEEN 1 AND 3),
    PRIMARY KEY (collection, role)
);

-- The last change of each collection, also of those that are gone: one that is made again goes on counting. A number that all collections have
-- together would tell of the others.
CREATE TABLE numbers (
    collection uuid PRIMARY KEY,
    last bigint NOT NULL
) WITH (fillfactor = 50);
INSERT INTO numbers SELECT collection, (SELECT last_value FROM changes) FROM collections;
DROP SEQUENCE changes;

-- Changes of a collection are told on a channel of it. Its name is known to those who may read the collection, and is another once a right is taken
-- back. Nothing is said there but that something changed.
ALTER TABLE collections ADD channel text NOT NULL DEFAULT 'casetrack_' || replace(gen_random_uuid()::text, '-', '');

-- Work on a collection that clients share.
CREATE TABLE work (
    collection uuid NOT NULL,
    name text NOT NULL,
    content bytea NOT NULL,
    added timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- Who has it shows this, and until when.
    lease uuid,
    until timestamptz,
    -- How often it was taken.
    taken integer NOT NULL DEFAULT 0,
    PRIMARY KEY (collection, name)
) WITH (fillfactor = 70);
CREATE INDEX work_by_age ON work (collection, added);

-- Functions with the rights of the owner of the tables ask for the role that calls them, which `current_user` does not say there.
CREATE FUNCTION caller() RETURNS name LANGUAGE sql STABLE SET search_path = casetrack, pg_temp
AS $$ SELECT coalesce(nullif(current_setting('role'), 'none')::name, session_user) $$;

CREATE FUNCTION is_administrator() RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER SET search_path = casetrack, pg_temp
AS $$
    SELECT pg_has_role(caller(), relowner, 'USAGE') OR (SELECT rolbypassrls FROM pg_roles WHERE rolname = caller())
    FROM pg_class WHERE oid = 'casetrack.grants'::regclass
$$;

-- The collections to which the caller has a right, or a greater one.
CREATE FUNCTION granted(right_to integer) RETURNS uuid[] LANGUAGE sql STABLE SECURITY DEFINER SET search_path = casetrack, pg_temp
AS $$
    SELECT coalesce(array_agg(DISTINCT collection), '{}') FROM grants
    WHERE level >= right_to AND pg_has_role(caller(), role, 'USAGE')
$$;

-- The caller's right to a collection; 0 for none.
CREATE FUNCTION level_of(wanted uuid) RETURNS integer LANGUAGE sql STABLE SECURITY DEFINER SET search_path = casetrack, pg_temp
AS $$
    SELECT CASE WHEN is_administrator() THEN 3
        ELSE coalesce((SELECT max(level) FROM grants WHERE collection = wanted AND pg_has_role(caller(), role, 'USAGE')), 0) END
$$;

CREATE FUNCTION may_create() RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER SET search_path = casetrack, pg_temp
AS $$ SELECT is_administrator() OR EXISTS (SELECT FROM members WHERE creates AND pg_has_role(caller(), role, 'USAGE')) $$;

-- The number of the next change, where the caller may make one.
CREATE FUNCTION next_change(wanted uuid) RETURNS bigint LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = casetrack, pg_temp
AS $$ UPDATE numbers SET last = last + 1 WHERE collection = wanted AND level_of(wanted) >= 2 RETURNING last $$;

-- The bytes of each table that are a collection's, as its chunks are to those of all.
CREATE FUNCTION sizes(wanted uuid) RETURNS TABLE (name text, bytes bigint) LANGUAGE sql STABLE SECURITY DEFINER SET search_path = casetrack, pg_temp
AS $$
    SELECT t, (pg_total_relation_size(('casetrack.' || t)::regclass) * own / greatest(every, 1))::bigint
    FROM (SELECT coalesce(sum(chunks) FILTER (WHERE collection = wanted), 0) AS own, coalesce(sum(chunks), 0) AS every FROM buckets) AS counted,
        unnest(ARRAY['documents', 'pages', 'chunks', 'removed', 'vectors', 'fresh', 'leaves', 'segments']) AS t
    WHERE level_of(wanted) > 0
$$;

-- A role that may use the store, or one that may no longer make collections, or may again.
CREATE FUNCTION admit(who text, creating boolean) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = casetrack, pg_temp
AS $$
BEGIN
    IF NOT is_administrator() THEN
        RAISE insufficient_privilege USING MESSAGE = 'only the administrator of the database admits roles';
    END IF;
    INSERT INTO members VALUES (quote_ident(who)::regrole, creating) ON CONFLICT (role) DO UPDATE SET creates = excluded.creates;
    EXECUTE format('GRANT USAGE ON SCHEMA casetrack TO %I', who);
    EXECUTE format('GRANT SELECT ON casetrack.layout, casetrack.migrations TO %I', who);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON casetrack.collections, casetrack.buckets, casetrack.documents, casetrack.removed, '
        'casetrack.pages, casetrack.chunks, casetrack.vectors, casetrack.fresh, casetrack.segments, casetrack.leaves, casetrack.work TO %I', who);
END
$$;

-- Gives a channel another name. Those who listen look for it.
CREATE FUNCTION change_channel(wanted uuid) RETURNS void LANGUAGE plpgsql SET search_path = casetrack, pg_temp
AS $$
BEGIN
    PERFORM pg_notify(channel, '') FROM collections WHERE collection = wanted;
    UPDATE collections SET channel = DEFAULT WHERE collection = wanted;
END
$$;

-- Takes everything back that a role was granted, and that it may use the store.
CREATE FUNCTION dismiss(who text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = casetrack, pg_temp
AS $$
BEGIN
    IF NOT is_administrator() THEN
        RAISE insufficient_privilege USING MESSAGE = 'only the administrator of the database dismisses roles';
    END IF;
    PERFORM change_channel(collection) FROM grants WHERE role = quote_ident(who)::regrole;
    DELETE FROM grants WHERE role = quote_ident(who)::regrole;
    DELETE FROM members WHERE role = quote_ident(who)::regrole;
    EXECUTE format('REVOKE ALL ON ALL TABLES IN SCHEMA casetrack FROM %I', who);
    EXECUTE format('REVOKE ALL ON SCHEMA casetrack FROM %I', who);
END
$$;

-- Gives a role a right to a collection in place of the one it has; 0 takes it back. Only owners do. 0: there is no such collection, or the caller
-- has no right to it; 1: the caller is not its owner; 2: the role may not use the store, or had no right; 3: done.
CREATE FUNCTION set_right(wanted uuid, who text, right_to integer) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER SET search_path = casetrack, pg_temp
AS $$
DECLARE
    own integer := level_of(wanted);
BEGIN
    IF own = 0 OR NOT EXISTS (SELECT FROM collections WHERE collection = wanted) THEN
        RETURN 0;
    ELSIF own < 3 THEN
        RETURN 1;
    ELSIF right_to = 0 THEN
        DELETE FROM grants WHERE collection = wanted AND role = to_regrole(quote_ident(who));
        IF NOT FOUND THEN
            RETURN 2;
        END IF;
        PERFORM change_channel(wanted);
    ELSIF NOT EXISTS (SELECT FROM members WHERE role = to_regrole(quote_ident(who))) THEN
        RETURN 2;
    ELSE
        INSERT INTO grants VALUES (wanted, quote_ident(who)::regrole, right_to)
        ON CONFLICT (collection, role) DO UPDATE SET level = excluded.level;
    END IF;
    RETURN 3;
END
$$;

-- Who has a right to a collection, for those who have one.
CREATE FUNCTION rights(wanted uuid) RETURNS TABLE (who text, level integer) LANGUAGE sql STABLE SECURITY DEFINER SET search_path = casetrack, pg_temp
AS $$
    SELECT rolname::text, g.level::integer FROM grants g JOIN pg_roles r ON r.oid = g.role WHERE g.collection = wanted AND level_of(wanted) > 0 ORDER BY rolname
$$;

-- Who makes a collection owns it.
CREATE FUNCTION collection_made() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = casetrack, pg_temp
AS $$
BEGIN
    INSERT INTO grants VALUES (NEW.collection, quote_ident(caller())::regrole, 3);
    INSERT INTO numbers VALUES (NEW.collection, 0) ON CONFLICT DO NOTHING;
    RETURN NULL;
END
$$;
CREATE TRIGGER made AFTER INSERT ON collections FOR EACH ROW EXECUTE FUNCTION collection_made();

CREATE FUNCTION collection_removed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = casetrack, pg_temp
AS $$
BEGIN
    DELETE FROM grants WHERE collection = OLD.collection;
    DELETE FROM work WHERE collection = OLD.collection;
    PERFORM pg_notify(OLD.channel, '');
    EXECUTE format('DROP INDEX IF EXISTS casetrack.%I', 'vectors_' || replace(OLD.collection::text, '-', ''));
    RETURN NULL;
END
$$;
CREATE TRIGGER removed AFTER DELETE ON collections FOR EACH ROW EXECUTE FUNCTION collection_removed();

-- What it is called, and whose models it has, is for its owner to say. An import is ready once.
CREATE FUNCTION collection_changed() RETURNS trigger LANGUAGE plpgsql SET search_path = casetrack, pg_temp
AS $$
BEGIN
    IF (NEW.meta, NEW.route, NEW.collection, NEW.created, NEW.ready) IS DISTINCT FROM (OLD.meta, OLD.route, OLD.collection, OLD.created, OLD.ready)
        AND level_of(OLD.collection) < 3 THEN
        RAISE insufficient_privilege USING MESSAGE = 'only the owner of a collection describes it';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER changed BEFORE UPDATE ON collections FOR EACH ROW EXECUTE FUNCTION collection_changed();

-- The lists are looked up once for a statement.
DO $$
DECLARE
    t text;
BEGIN
    FOREACH t IN ARRAY ARRAY['buckets', 'documents', 'removed', 'pages', 'chunks', 'vectors', 'fresh', 'segments', 'leaves', 'collections',
        'work', 'members', 'grants', 'numbers'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', t);
    END LOOP;
    FOREACH t IN ARRAY ARRAY['buckets', 'documents', 'removed', 'pages', 'chunks', 'vectors', 'fresh', 'segments', 'leaves', 'collections'] LOOP
        EXECUTE format('CREATE POLICY readers ON %I FOR SELECT USING (collection = ANY ((SELECT casetrack.granted(1))::uuid[]))', t);
        EXECUTE format('CREATE POLICY editors ON %I FOR UPDATE USING (collection = ANY ((SELECT casetrack.granted(2))::uuid[]))', t);
    END LOOP;
    FOREACH t IN ARRAY ARRAY['documents', 'removed', 'pages', 'chunks', 'vectors', 'fresh', 'segments', 'leaves'] LOOP
        EXECUTE format('CREATE POLICY makers ON %I FOR INSERT WITH CHECK (collection = ANY ((SELECT casetrack.granted(2))::uuid[]))', t);
        EXECUTE format('CREATE POLICY removers ON %I FOR DELETE USING (collection = ANY ((SELECT casetrack.granted(2))::uuid[]))', t);
    END LOOP;
    FOREACH t IN ARRAY ARRAY['buckets', 'collections'] LOOP
        EXECUTE format('CREATE POLICY removers ON %I FOR DELETE USING (collection = ANY ((SELECT casetrack.granted(3))::uuid[]))', t);
    END LOOP;
END
$$;
CREATE POLICY makers ON buckets FOR INSERT WITH CHECK (collection = ANY ((SELECT casetrack.granted(3))::uuid[]));
CREATE POLICY makers ON collections FOR INSERT WITH CHECK (casetrack.may_create());
CREATE POLICY editors ON work USING (collection = ANY ((SELECT casetrack.granted(2))::uuid[]));
