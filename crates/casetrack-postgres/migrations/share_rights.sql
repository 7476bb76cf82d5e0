-- Holds the rights of roles on every machine of a cluster of Citus. Run once, when the tables are distributed (src/distributing.rs).

-- `grants`, which is on the coordinator alone, with the names of roles: their numbers are others on each machine.
CREATE TABLE shared (
    collection uuid NOT NULL,
    role name NOT NULL,
    level smallint NOT NULL,
    PRIMARY KEY (collection, role)
);
SELECT create_reference_table('shared');
ALTER TABLE shared ENABLE ROW LEVEL SECURITY;

CREATE FUNCTION share_grants() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = casetrack, pg_temp
AS $$
DECLARE
    changed uuid := CASE WHEN TG_OP = 'DELETE' THEN OLD.collection ELSE NEW.collection END;
BEGIN
    DELETE FROM shared WHERE collection = changed;
    INSERT INTO shared SELECT g.collection, r.rolname, g.level FROM grants g JOIN pg_roles r ON r.oid = g.role WHERE g.collection = changed
        ON CONFLICT (collection, role) DO UPDATE SET level = excluded.level;
    RETURN NULL;
END
$$;
CREATE TRIGGER share AFTER INSERT OR UPDATE OR DELETE ON grants FOR EACH ROW EXECUTE FUNCTION share_grants();

-- A role that is admitted may have the name of one that is gone, or may have had another name.
CREATE FUNCTION share_member() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = casetrack, pg_temp
AS $$
DECLARE
    named name := pg_get_userbyid(NEW.role);
BEGIN
    DELETE FROM shared WHERE role = named;
    INSERT INTO shared SELECT g.collection, named, g.level FROM grants g WHERE g.role = NEW.role;
    RETURN NULL;
END
$$;
CREATE TRIGGER share AFTER INSERT OR UPDATE ON members FOR EACH ROW EXECUTE FUNCTION share_member();
INSERT INTO shared SELECT g.collection, r.rolname, g.level FROM grants g JOIN pg_roles r ON r.oid = g.role;

-- Each machine asks its own copy by the name that it has there: one that is asked for within a statement may ask for nothing that is distributed.
-- It is called for every row, so that all names are written out rather than looked for on a path of its own, which takes time with each call.
SELECT set_config('citus.enable_ddl_propagation', 'on', true);
DO $$
BEGIN
    EXECUTE format($f$
        CREATE FUNCTION holds(wanted uuid, right_to integer) RETURNS boolean LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL SAFE
        AS 'BEGIN
            RETURN EXISTS (SELECT FROM casetrack.%I AS s WHERE s.collection OPERATOR(pg_catalog.=) wanted
                AND s.level OPERATOR(pg_catalog.>=) right_to AND pg_catalog.pg_has_role(
                    coalesce(nullif(pg_catalog.current_setting(''role''), ''none'')::pg_catalog.name, session_user),
                    pg_catalog.to_regrole(pg_catalog.quote_ident(s.role)), ''USAGE''));
        END'
    $f$, 'shared_' || (SELECT shardid FROM pg_dist_shard WHERE logicalrelid = 'casetrack.shared'::regclass));
END
$$;

-- As on one machine.
DO $$
DECLARE
    t text;
BEGIN
    FOREACH t IN ARRAY ARRAY['buckets', 'documents', 'removed', 'pages', 'chunks', 'vectors', 'fresh', 'segments', 'leaves'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', t);
        EXECUTE format('CREATE POLICY readers ON %I FOR SELECT USING (casetrack.holds(collection, 1))', t);
        EXECUTE format('CREATE POLICY editors ON %I FOR UPDATE USING (casetrack.holds(collection, 2))', t);
        IF t <> 'buckets' THEN
            EXECUTE format('CREATE POLICY makers ON %I FOR INSERT WITH CHECK (casetrack.holds(collection, 2))', t);
            EXECUTE format('CREATE POLICY removers ON %I FOR DELETE USING (casetrack.holds(collection, 2))', t);
        END IF;
    END LOOP;
    -- What a migration before this one set where nothing was distributed (0003.sql).
    EXECUTE 'ALTER TABLE leaves SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000)';
END
$$;
CREATE POLICY removers ON buckets FOR DELETE USING (casetrack.holds(collection, 3));

-- As on one machine. A database in which roles could have no rights has another.
CREATE OR REPLACE FUNCTION admit(who text, creating boolean) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = casetrack, pg_temp
AS $$
BEGIN
    IF NOT is_administrator() THEN
        RAISE insufficient_privilege USING MESSAGE = 'only the administrator of the database admits roles';
    END IF;
    EXECUTE format('GRANT USAGE ON SCHEMA casetrack TO %I', who);
    EXECUTE format('GRANT SELECT ON casetrack.layout, casetrack.migrations TO %I', who);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON casetrack.collections, casetrack.buckets, casetrack.documents, casetrack.removed, '
        'casetrack.pages, casetrack.chunks, casetrack.vectors, casetrack.fresh, casetrack.segments, casetrack.leaves, casetrack.work TO %I', who);
    INSERT INTO members VALUES (quote_ident(who)::regrole, creating) ON CONFLICT (role) DO UPDATE SET creates = excluded.creates;
END
$$;

-- Of ALL TABLES, Citus takes nothing back on other machines.
CREATE OR REPLACE FUNCTION dismiss(who text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = casetrack, pg_temp
AS $$
BEGIN
    IF NOT is_administrator() THEN
        RAISE insufficient_privilege USING MESSAGE = 'only the administrator of the database dismisses roles';
    END IF;
    PERFORM change_channel(collection) FROM grants WHERE role = quote_ident(who)::regrole;
    DELETE FROM grants WHERE role = quote_ident(who)::regrole;
    DELETE FROM members WHERE role = quote_ident(who)::regrole;
    EXECUTE format('REVOKE ALL ON casetrack.layout, casetrack.migrations, casetrack.collections, casetrack.buckets, casetrack.documents, '
        'casetrack.removed, casetrack.pages, casetrack.chunks, casetrack.vectors, casetrack.fresh, casetrack.segments, casetrack.leaves, '
        'casetrack.work FROM %I', who);
    EXECUTE format('REVOKE ALL ON SCHEMA casetrack FROM %I', who);
END
$$;

-- The index of another's vectors cannot be dropped beside what the caller's own connections to the machines changed in this transaction. A client of
-- the administrator does (src/indexing.rs).
CREATE OR REPLACE FUNCTION collection_removed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = casetrack, pg_temp
AS $$
BEGIN
    DELETE FROM grants WHERE collection = OLD.collection;
    DELETE FROM work WHERE collection = OLD.collection;
    PERFORM pg_notify(OLD.channel, '');
    IF caller() = current_user THEN
        EXECUTE format('DROP INDEX IF EXISTS casetrack.%I', 'vectors_' || replace(OLD.collection::text, '-', ''));
    END IF;
    RETURN NULL;
END
$$;
