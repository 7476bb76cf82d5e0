/* The one function of bcryptprimitives.dll that Rust's standard library calls, for tests under Wine 8, which lacks it. No package contains this. */
#include <windows.h>

BOOLEAN NTAPI SystemFunction036(PVOID buffer, ULONG length);

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T length) { return SystemFunction036(data, (ULONG)length); }
