# Sourced by env.sh if CASETRACK_TARGET names a system that this machine is not: the compilers for it, and the program that runs its programs here.
# shellcheck shell=bash

case $CASETRACK_TARGET in
x86_64-pc-windows-gnu)
    TOOLS=x86_64-w64-mingw32 VARIANT=-posix TARGET_PACKAGES='gcc-mingw-w64-x86-64-posix g++-mingw-w64-x86-64-posix wine64'
    TARGET_WHEELS=win_amd64 RUNNER=$ROOT/scripts/systems/wine.sh EXE=.exe
    # winpthreads and the C++ library are part of the program: Windows has neither. Crates ask for the shared C++ library, so its name leads to the
    # static one.
    mkdir -p "$CARGO_TARGET_DIR/$CASETRACK_TARGET/static"
    ln -sf "$($TOOLS-g++$VARIANT -print-file-name=libstdc++.a)" "$CARGO_TARGET_DIR/$CASETRACK_TARGET/static/libstdc++.dll.a"
    export CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUSTFLAGS="-C link-arg=-static -L native=$CARGO_TARGET_DIR/$CASETRACK_TARGET/static"
    # usearch writes the name of a header of the system with a capital, as no file of mingw has it.
    export CXXFLAGS_x86_64_pc_windows_gnu="-std=c++17 -DNOMINMAX -I$ROOT/scripts/systems/include"
    ;;
aarch64-unknown-linux-gnu)
    TOOLS=aarch64-linux-gnu VARIANT='' TARGET_PACKAGES='gcc-aarch64-linux-gnu g++-aarch64-linux-gnu qemu-user-static'
    TARGET_WHEELS=manylinux2014_aarch64 RUNNER="qemu-aarch64-static" EXE=''
    export QEMU_CPU=max QEMU_LD_PREFIX=/usr/aarch64-linux-gnu
    ;;
*) fail "Programs for $CASETRACK_TARGET are not built here." "Use x86_64-pc-windows-gnu or aarch64-unknown-linux-gnu." ;;
esac

cc=$TOOLS-gcc$VARIANT cxx=$TOOLS-g++$VARIANT name=${CASETRACK_TARGET//-/_}
export CARGO_BUILD_TARGET=$CASETRACK_TARGET "CC_$name=$cc" "CXX_$name=$cxx" "AR_$name=$TOOLS-ar"
export "CARGO_TARGET_${name^^}_LINKER=$cxx" "CARGO_TARGET_${name^^}_RUNNER=$RUNNER"
# bindgen reads RocksDB's headers, which are the same for all systems, with the compiler's own headers only.
BINDGEN_EXTRA_CLANG_ARGS="-ffreestanding -isystem $(gcc -print-file-name=include)"
export BINDGEN_EXTRA_CLANG_ARGS
export CASETRACK_PDFIUM=${CASETRACK_PDFIUM:-$HOME/.cache/casetrack/pdfium-$TARGET_WHEELS}
