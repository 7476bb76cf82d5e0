#!/usr/bin/env bash
# Compiles RocksDB for the build of this checkout, in a few large units instead of 342 small ones: much of the time goes into headers that
# nearly every file includes. RocksDB keeps its sources fit for it (target unity.a of its Makefile). The sources are those of the crate
# librocksdb-sys that Cargo.lock names; nothing else is fetched. scripts/env.sh tells cargo of the library if it is there. On machines other than
# Linux x86_64 the crate compiles RocksDB itself.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../env.sh"

MEMORY_OF_UNIT=2500 # MB, the most that one of them needed (GCC 12)

# Parts that only functions of the C interface call that the program never calls. The linker drops those functions. If a later version of RocksDB
# calls one of these parts, the linker names it, and its line goes from here.
NEVER_CALLED='^utilities/transactions/(lock/|optimistic|pessimistic|transaction_|write_)
^utilities/(agg_merge|backup|blob_db|cassandra|leveldb_options|option_change_migration|options|persistent_cache)/
^utilities/(secondary_index|simulator_cache|sorted_run_builder)/
^utilities/(cache_dump_load|env_mirror|fault_injection)
^tools/
^test_util/transaction'
# Parts that reads and writes spend their time in. RocksDB's own releases are compiled with -O2; the other parts are so only in packages.
HOT='^(cache|memory|memtable|util)/
^table/[a-z_]*\.cc
^table/block_based/
^db/(arena_wrapped_db_iter|blob/|builder|column_family|db_iter|dbformat|log_|lookup_key|memtable|merge_|pinned|range_|snapshot|table_cache|version_set|write_)
^db/compaction/compaction_(iterator|job)
^db/db_impl/(db_impl|db_impl_write)\.cc'

# Set by env.sh if this is to be done, or by the user, who then has a library.
if [ -z "${ROCKSDB_LIB_DIR:-}" ] || [ -e "$ROCKSDB_LIB_DIR/librocksdb.a" ] || [ -e "$ROCKSDB_LIB_DIR/librocksdb.so" ]; then exit 0; fi

started=$SECONDS
cargo fetch --locked --quiet
read -r rocksdb lz4 < <(cargo metadata --locked --format-version 1 | python3 -c '
import json, os, sys
packages = {p["name"]: os.path.dirname(p["manifest_path"]) for p in json.load(sys.stdin)["packages"]}
print(packages["librocksdb-sys"], packages["lz4-sys"])')

work=$ROCKSDB_LIB_DIR.partial
# Object files of Windows have room for fewer sections.
PARTS=4
case ${CASETRACK_TARGET:-} in *windows*) PARTS=12 ;; esac
rm -rf "$work"
mkdir -p "$work"
# build_version.cc comes with the crate, made beforehand.
sed -n 's/^ *\([^ ]*\.cc\)$/\1/p' "$rocksdb/rocksdb_lib_sources.txt" | grep -v 'build_version.cc' |
    case ${CASETRACK_TARGET:-} in *windows*) cat ;; *) grep -vE "$NEVER_CALLED" ;; esac >"$work/sources"
case ${CASETRACK_TARGET:-} in
*windows*)
    sed -i '/^port\/port_posix\|^port\/win\|^env\/\(env\|fs\|io\)_posix/d' "$work/sources"
    # One by one, because they call functions of the system whose names are functions of RocksDB elsewhere.
    for source in env_default env_win io_win port_win win_logger win_thread; do
        echo "#include \"port/win/$source.cc\"" >"$work/hot_$source.cc"
    done
    ;;
esac
sed -i 's/.*/#include "&"/' "$work/sources"
grep -E "${HOT//^/\"}" "$work/sources" >"$work/hot.txt"
grep -vE "${HOT//^/\"}" "$work/sources" >"$work/cold.txt"
for group in hot cold; do
    split --numeric-suffixes --additional-suffix=.cc --number="l/$PARTS" "$work/$group.txt" "$work/$group"
done
case ${CASETRACK_TARGET:-} in
*windows*)
    sed -i '1i #include <windows.h>\n#undef CopyFile\n#undef CreateFile\n#undef DeleteFile\n#undef GetCurrentTime\n#undef GetFreeSpace\n#undef LoadLibrary' \
        "$work"/hot[0-9]*.cc "$work"/cold[0-9]*.cc
    ;;
esac
cp "$rocksdb/build_version.cc" "$work/"

# The definitions of the crate's build script for the system, with the features that Cargo.toml asks for.
FLAGS="-std=c++20 -w -include cstdint -DNDEBUG=1 -DLZ4=1 -DHAVE_ALIGNED_NEW -DHAVE_UINT128_EXTENSION"
LINUX="-fPIC -ffunction-sections -fdata-sections -DOS_LINUX -DROCKSDB_PLATFORM_POSIX -DROCKSDB_LIB_IO_POSIX -DROCKSDB_SCHED_GETCPU_PRESENT -DROCKSDB_AUXV_GETAUXVAL_PRESENT \
    -DROCKSDB_FALLOCATE_PRESENT -DROCKSDB_RANGESYNC_PRESENT"
case ${CASETRACK_TARGET:-} in
*windows*)
    # mingw frees the variables of a thread before it runs their destructors, so the counters of threads, which have one, are left out.
    FLAGS+=" -Wa,-mbig-obj -msse2 -DWIN32 -DOS_WIN -DNPERF_CONTEXT -DNIOSTATS_CONTEXT -D_MBCS -DWIN64 -DNOMINMAX -DROCKSDB_WINDOWS_UTF8_FILENAMES -D_POSIX_C_SOURCE=1 -D_WIN32_WINNT=_WIN32_WINNT_VISTA"
    ;;
aarch64*) FLAGS+=" -march=armv8-a+crc $LINUX" ;;
*) FLAGS+=" -msse2 $LINUX" ;;
esac
export FLAGS COMPILER=${TOOLS:+$TOOLS-g++$VARIANT}
: "${COMPILER:=${CXX:-c++}}"
export INCLUDES="$rocksdb/rocksdb/include:$rocksdb/rocksdb:$rocksdb:$lz4/liblz4/lib"

jobs=$(nproc)
available=$(awk '/MemAvailable/ { print int($2 / 1024) }' /proc/meminfo)
if [ "$((available / MEMORY_OF_UNIT))" -lt "$jobs" ]; then jobs=$((available / MEMORY_OF_UNIT)); fi
say "Compiling RocksDB, $((jobs > 0 ? jobs : 1)) units at a time"
# shellcheck disable=SC2016  # expanded by the inner shell
printf '%s\0' "$work"/*.cc | CPATH=$INCLUDES${CPATH:+:$CPATH} xargs -0 -P "$((jobs > 0 ? jobs : 1))" -I {} bash -c '
    case ${CASETRACK_TARGET:-}$CASETRACK_BUILD_PROFILE$1 in release*/cold*) optimise=-O0 ;; *) optimise=-O2 ;; esac
    exec $COMPILER $FLAGS $optimise -c "$1" -o "$1.o"' unit {} ||
    fail "RocksDB could not be compiled; the compiler's message stands above." \
        "Run the same command with ROCKSDB_FROM_CRATE=1, so that the crate librocksdb-sys compiles it in its own way."
"${TOOLS:+$TOOLS-}ar" crs "$work/librocksdb.a" "$work"/*.o
rm "$work"/*.o "$work"/*.cc "$work"/*.txt "$work/sources"
mv "$work" "$ROCKSDB_LIB_DIR"
say "RocksDB compiled in $((SECONDS - started)) s"
