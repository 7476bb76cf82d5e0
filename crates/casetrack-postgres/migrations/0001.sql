-- The tables of a store. Each primary key begins with the route, which says on which machine a row lies where the tables are distributed:
-- it follows from the collection and a bucket, and the bucket from the document. All rows of a document have one route.

CREATE EXTENSION IF NOT EXISTS vector;

-- One row, which is the same on every machine.
CREATE TABLE layout (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    -- Buckets of a collection. It may not change once there is a collection.
    fanout integer NOT NULL CHECK (fanout BETWEEN 1 AND 4096),
    -- So many chunks of a bucket whose postings are in no block become one of each term.
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
    -- The postings of documents up to this ordinal are in blocks, those of later ones in `fresh`.
    merged bigint NOT NULL DEFAULT 0,
    fresh_chunks bigint NOT NULL DEFAULT 0,
    -- Chunks that are gone and have postings in blocks.
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

-- Documents that are gone or were stored again, by the ordinal that they had, until nothing is left of them in blocks.
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
    -- UTF-8. Not of type text, which has no zero bytes; as it is, so that a part of it is read by itself.
    content bytea NOT NULL,
    PRIMARY KEY (route, collection, document, page)
);
ALTER TABLE pages ALTER content SET STORAGE EXTERNAL;

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

-- All postings of one document that are not in blocks yet.
CREATE TABLE fresh (
    route bigint NOT NULL,
    collection uuid NOT NULL,
    ordinal bigint NOT NULL,
    postings bytea NOT NULL,
    PRIMARY KEY (route, collection, ordinal)
);
ALTER TABLE fresh ALTER postings SET STORAGE EXTERNAL;

-- The documents whose postings are in a block of each of their terms.
CREATE TABLE segments (
    route bigint NOT NULL,
    collection uuid NOT NULL,
    segment bigint NOT NULL,
    level integer NOT NULL,
    chunks bigint NOT NULL,
    PRIMARY KEY (route, collection, segment)
);

CREATE TABLE blocks (
    route bigint NOT NULL,
    collection uuid NOT NULL,
    field smallint NOT NULL,
    term bytea NOT NULL,
    segment bigint NOT NULL,
    chunks integer NOT NULL,
    postings bytea NOT NULL,
    positions bytea NOT NULL,
    PRIMARY KEY (route, collection, field, term, segment)
);
ALTER TABLE blocks ALTER postings SET STORAGE EXTERNAL, ALTER positions SET STORAGE EXTERNAL;
