-- Changes of a collection are told on a channel of it. Its name is known to those who may read the collection, and is another once a right is taken
-- back. Nothing is said there but that something changed.
ALTER TABLE collections ADD channel text NOT NULL DEFAULT 'casetrack_' || replace(gen_random_uuid()::text, '-', '');

CREATE OR REPLACE FUNCTION set_right(wanted uuid, who text, right_to integer) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER
SET search_path = casetrack, pg_temp
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
        -- Those who listen look for the new name.
        PERFORM pg_notify(channel, '') FROM collections WHERE collection = wanted;
        UPDATE collections SET channel = DEFAULT WHERE collection = wanted;
    ELSIF NOT EXISTS (SELECT FROM members WHERE role = to_regrole(quote_ident(who))) THEN
        RETURN 2;
    ELSE
        INSERT INTO grants VALUES (wanted, quote_ident(who)::regrole, right_to)
        ON CONFLICT (collection, role) DO UPDATE SET level = excluded.level;
    END IF;
    RETURN 3;
END
$$;

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
ALTER TABLE work ENABLE ROW LEVEL SECURITY;
CREATE POLICY editors ON work USING (collection = ANY ((SELECT casetrack.granted(2))::uuid[]));

CREATE OR REPLACE FUNCTION collection_removed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = casetrack, pg_temp
AS $$
BEGIN
    DELETE FROM grants WHERE collection = OLD.collection;
    DELETE FROM work WHERE collection = OLD.collection;
    PERFORM pg_notify(OLD.channel, '');
    EXECUTE format('DROP INDEX IF EXISTS casetrack.%I', 'vectors_' || replace(OLD.collection::text, '-', ''));
    RETURN NULL;
END
$$;

-- Roles that were admitted before may work as well.
DO $$
DECLARE
    who text;
BEGIN
    FOR who IN SELECT rolname FROM members m JOIN pg_roles r ON r.oid = m.role LOOP
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON work TO %I', who);
    END LOOP;
END
$$;

CREATE OR REPLACE FUNCTION admit(who text, creating boolean) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = casetrack, pg_temp
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
