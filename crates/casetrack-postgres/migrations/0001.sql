-- The tables of a store. Each primary key begins with the route, which says on which machine a row lies where the tables are distributed:
-- it follows from the collection and a bucket, and the bucket from the document. All rows of a document have one route.

CREATE EXTENSION IF NOT EXISTS vector;

-- One row, which is the same on every machine.
CREATE TABLE layout (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    -- Buckets of a collection. It may not change once there is a collection.
    fanout integer NOT NULL CHECK (fanout BETWEEN 1 AND 4096),
    -- So many chunks of a bucket whose postings are in no leaf become a segment.
    block_chunks bigint NOT NULL DEFAULT 1024,
    -- Vectors are searched one by one where there are no more than these.
    exact_chunks bigint NOT NULL DEFAULT 20000
);

-- Numbers of changes, of which each is used once. That of the change that stored a document is its ordinal: documents are ordered by it.
CREATE SEQUENCE changes;

CREATE TABLE collections (
    route bigint NOT NULL,
    collection uuid NOT NULL,
    meta bytea NOT NULL,
    models bytea NOT NULL,
    models_open boolean NOT NULL DEFAULT false,
    columns bytea,
    evidence bytea,
    created timestamptz NOT NULL DEFAULT now(),
    -- Whether everything that an import brings is there.
    ready boolean NOT NULL,
    -- Whether the vectors have an index.
    dense_index boolean NOT NULL DEFAULT false,
    PRIMARY KEY (route, collection)
);

CREATE TABLE buckets (
    route bigint NOT NULL,
    collection uuid NOT NULL,
    bucket integer NOT NULL,
    -- The last change of a document in it, and when that was.
    changed bigint NOT NULL DEFAULT 0,
    changed_at bigint,
    documents bigint NOT NULL DEFAULT 0,
    pages bigint NOT NULL DEFAULT 0,
    chunks bigint NOT NULL DEFAULT 0,
    sparse_chunks bigint NOT NULL DEFAULT 0,
    token_chunks bigint NOT NULL DEFAULT 0,
    annotated_documents bigint NOT NULL DEFAULT 0,
    -- The postings of documents up to this ordinal are in leaves, those of later ones in `fresh`.
    merged bigint NOT NULL DEFAULT 0,
    fresh_chunks bigint NOT NULL DEFAULT 0,
    -- Chunks that are gone and have postings in leaves.
    dead_chunks bigint NOT NULL DEFAULT 0,
    -- Rows of `removed` for changes up to this one are gone.
    forgotten bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (route, collection, bucket)
);

CREATE TABLE documents (
    route bigint NOT NULL,
    collection uuid NOT NULL,
    document uuid NOT NULL,
    ordinal bigint NOT NULL,
    -- The change that stored it, moved it or gave it another name; and the last one of any kind.
    version bigint NOT NULL,
    changed bigint NOT NULL,
    path_hash bytea NOT NULL,
    sha256 bytea NOT NULL,
    pages integer NOT NULL,
    chunks integer NOT NULL,
    sparse_chunks integer NOT NULL,
    token_chunks integer NOT NULL,
    text_tokens bigint NOT NULL,
    context_tokens bigint NOT NULL,
    meta bytea NOT NULL,
    annotations bytea,
    PRIMARY KEY (route, collection, document)
);
CREATE INDEX documents_by_path ON documents (collection, path_hash);
CREATE INDEX documents_by_sha256 ON documents (collection, sha256);
CREATE INDEX documents_by_change ON documents (collection, changed);

-- Documents that are gone or were stored again, by the ordinal that they had, until nothing is left of them in leaves.
CREATE TABLE removed (
    route bigint NOT NULL,
    collection uuid NOT NULL,
    ordinal bigint NOT NULL,
    document uuid NOT NULL,
    changed bigint NOT NULL,
    PRIMARY KEY (route, collection, ordinal)
);

CREATE TABLE pages (
    route bigint NOT NULL,
    collection uuid NOT NULL,
    document uuid NOT NULL,
    page integer NOT NULL,
    record bytea NOT NULL,
    layout bytea NOT NULL,
    -- UTF-8. Not of type text, which has no zero bytes.
    content bytea NOT NULL,
    PRIMARY KEY (route, collection, document, page)
);

CREATE TABLE chunks (
    route bigint NOT NULL,
    collection uuid NOT NULL,
    document uuid NOT NULL,
    chunk integer NOT NULL,
    id uuid NOT NULL,
    -- Where its text is: bytes of a page.
    page integer NOT NULL,
    byte_start integer NOT NULL,
    byte_end integer NOT NULL,
    record bytea NOT NULL,
    sparse bytea,
    -- The signs of the vectors of its tokens.
    tokens bytea,
    PRIMARY KEY (route, collection, document, chunk)
);
CREATE INDEX chunks_by_id ON chunks (collection, id);

CREATE TABLE vectors (
    route bigint NOT NULL,
    collection uuid NOT NULL,
    document uuid NOT NULL,
    chunk integer NOT NULL,
    ordinal bigint NOT NULL,
    embedding halfvec NOT NULL,
    PRIMARY KEY (route, collection, document, chunk)
);
ALTER TABLE vectors ALTER embedding SET STORAGE PLAIN;

-- All postings of one document that are not in leaves yet.
CREATE TABLE fresh (
    route bigint NOT NULL,
    collection uuid NOT NULL,
    ordinal bigint NOT NULL,
    postings bytea NOT NULL,
    PRIMARY KEY (route, collection, ordinal)
);
-- There is never much in it, and all of it is written again and again.
ALTER TABLE fresh ALTER postings SET STORAGE EXTERNAL, SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 100);

-- Documents whose postings are together. Eight segments of a level become one of the next.
CREATE TABLE segments (
    route bigint NOT NULL,
    collection uuid NOT NULL,
    level integer NOT NULL,
    -- The ordinal of its last document.
    segment bigint NOT NULL,
    chunks bigint NOT NULL,
    PRIMARY KEY (route, collection, level, segment)
);

-- The postings of a segment, in the order of fields and terms: each row has those of some terms that follow each other (src/leaves.rs).
CREATE TABLE leaves (
    route bigint NOT NULL,
    collection uuid NOT NULL,
    level integer NOT NULL,
    segment bigint NOT NULL,
    first bytea NOT NULL,
    terms bytea NOT NULL,
    postings bytea NOT NULL,
    positions bytea NOT NULL,
    PRIMARY KEY (route, collection, level, segment, first)
);

-- Long values are compressed, with LZ4 where the server was built with it.
DO $$
DECLARE
    own record;
BEGIN
    FOR own IN SELECT attrelid::regclass AS t, attname AS c FROM pg_attribute
        WHERE attrelid IN ('documents'::regclass, 'pages'::regclass, 'chunks'::regclass, 'fresh'::regclass, 'leaves'::regclass)
        AND atttypid = 'bytea'::regtype AND attnum > 0 LOOP
        EXECUTE format('ALTER TABLE %s ALTER %I SET COMPRESSION lz4', own.t, own.c);
    END LOOP;
EXCEPTION
    WHEN feature_not_supported THEN NULL;
END
$$;
