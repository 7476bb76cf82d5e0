#!/usr/bin/env bash
# Compiles RocksDB for the build of this checkout, in a few large units instead of 342 small ones: most of the time goes into headers that
# nearly every file includes, so this takes about a quarter of the time that the crate's own build script takes. RocksDB keeps its sources
# fit for it (target unity.a of its Makefile). The sources are those of the crate librocksdb-sys that Cargo.lock names; nothing else is fetched.
# scripts/env.sh tells cargo of the library where it is there. Elsewhere than on Linux x86_64 the crate compiles RocksDB itself.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../env.sh"

UNITS=12            # of about 29 files
MEMORY_OF_UNIT=2200 # MB, the most that one of them needed (GCC 12)

# Set by env.sh where this is to be done, or by the user, who then has a library.
if [ -z "${ROCKSDB_LIB_DIR:-}" ] || [ -e "$ROCKSDB_LIB_DIR/librocksdb.a" ] || [ -e "$ROCKSDB_LIB_DIR/librocksdb.so" ]; then exit 0; fi

started=$SECONDS
cargo fetch --locked --quiet
read -r rocksdb lz4 < <(cargo metadata --locked --format-version 1 | python3 -c '
import json, os, sys
packages = {p["name"]: os.path.dirname(p["manifest_path"]) for p in json.load(sys.stdin)["packages"]}
print(packages["librocksdb-sys"], packages["lz4-sys"])')

work=$ROCKSDB_LIB_DIR.partial
rm -rf "$work"
mkdir -p "$work"
# build_version.cc comes with the crate, made beforehand.
grep -v 'build_version.cc' "$rocksdb/rocksdb_lib_sources.txt" | sed -n 's/^ *\(.*\.cc\)$/#include "\1"/p' >"$work/sources"
split --numeric-suffixes --additional-suffix=.cc --number="l/$UNITS" "$work/sources" "$work/unit"
cp "$rocksdb/build_version.cc" "$work/"

# The definitions of the crate's build script for this system, with the features that Cargo.toml asks for. RocksDB's own
# releases are compiled with -O2.
flags=(-O2 -std=c++20 -fPIC -ffunction-sections -fdata-sections -msse2 -w -include cstdint
    -DNDEBUG=1 -DLZ4=1 -DHAVE_ALIGNED_NEW -DHAVE_UINT128_EXTENSION -DOS_LINUX -DROCKSDB_PLATFORM_POSIX -DROCKSDB_LIB_IO_POSIX
    -DROCKSDB_SCHED_GETCPU_PRESENT -DROCKSDB_AUXV_GETAUXVAL_PRESENT -DROCKSDB_FALLOCATE_PRESENT -DROCKSDB_RANGESYNC_PRESENT
    -I "$rocksdb/rocksdb/include" -I "$rocksdb/rocksdb" -I "$rocksdb" -I "$lz4/liblz4/lib")

jobs=$(nproc)
available=$(awk '/MemAvailable/ { print int($2 / 1024) }' /proc/meminfo)
if [ "$((available / MEMORY_OF_UNIT))" -lt "$jobs" ]; then jobs=$((available / MEMORY_OF_UNIT)); fi
say "Compiling RocksDB, $((jobs > 0 ? jobs : 1)) units at a time"
printf '%s\0' "$work"/*.cc | xargs -0 -P "$((jobs > 0 ? jobs : 1))" -I {} "${CXX:-c++}" "${flags[@]}" -c {} -o {}.o ||
    fail "RocksDB could not be compiled; the compiler's message stands above." \
        "Run the same command with ROCKSDB_FROM_CRATE=1, so that the crate librocksdb-sys compiles it in its own way."
ar crs "$work/librocksdb.a" "$work"/*.o
rm "$work"/*.o "$work"/*.cc "$work/sources"
mv "$work" "$ROCKSDB_LIB_DIR"
say "RocksDB compiled in $((SECONDS - started)) s"
