// Makes writes to a collection fail, for the tests in this directory. Preloaded into the program (LD_PRELOAD).
//
// CASETRACK_FAULT        what goes wrong: write (EIO), full (ENOSPC, also for every later write), short (half of the bytes are
//                        written), fsync (EIO), rename (EIO); the process is killed before a write (die-write), or before something
//                        is renamed whose path ends with CASETRACK_FAULT_PATH (die-rename)
// CASETRACK_FAULT_AFTER  so many calls of that kind go well first
// CASETRACK_FAULT_PATH   files whose path contains this
// CASETRACK_FAULT_WHILE  if set, only while this file exists
// CASETRACK_FAULT_COUNT  if set, the number of calls so far is kept in this file (for choosing CASETRACK_FAULT_AFTER)

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static atomic_long calls;

static const char *setting(const char *name) {
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

static bool is(const char *kind) {
    const char *wanted = setting("CASETRACK_FAULT");
    return wanted && strcmp(wanted, kind) == 0;
}

static bool concerns(const char *path) {
    const char *part = setting("CASETRACK_FAULT_PATH");
    return part && path && strstr(path, part);
}

static bool concerns_fd(int fd) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return false;
    path[length] = 0;
    return concerns(path);
}

// Whether the call at hand is to fail.
static bool due(bool from_now_on) {
    const char *while_there = setting("CASETRACK_FAULT_WHILE");
    if (while_there && access(while_there, F_OK) != 0) return false;
    const char *after = setting("CASETRACK_FAULT_AFTER");
    long number = atomic_fetch_add(&calls, 1), limit = after ? atol(after) : 0;
    const char *count = setting("CASETRACK_FAULT_COUNT");
    if (count) {
        char line[32];
        int length = snprintf(line, sizeof line, "%ld\n", number + 1);
        int fd = open(count, O_CREAT | O_WRONLY | O_TRUNC, 0600);
        ssize_t (*real)(int, const void *, size_t) = dlsym(RTLD_NEXT, "write");
        if (fd >= 0) {
            real(fd, line, length);
            close(fd);
        }
    }
    return from_now_on ? number >= limit : number == limit;
}

static ssize_t die(void) {
    kill(getpid(), SIGKILL);
    return -1;
}

// Bytes that may be written of `size`; -1 with errno for none.
static ssize_t admitted(bool concerned, size_t size) {
    if (!concerned) return size;
    if (is("write") && due(false)) return errno = EIO, -1;
    if (is("die-write") && due(false)) return die();
    if (is("full") && due(true)) return errno = ENOSPC, -1;
    if (is("short") && size > 1 && due(false)) return size / 2;
    return size;
}

ssize_t write(int fd, const void *bytes, size_t size) {
    ssize_t (*real)(int, const void *, size_t) = dlsym(RTLD_NEXT, "write");
    ssize_t allowed = admitted(concerns_fd(fd), size);
    return allowed < 0 ? -1 : real(fd, bytes, allowed);
}

static ssize_t write_at(const char *name, int fd, const void *bytes, size_t size, off_t offset) {
    ssize_t (*real)(int, const void *, size_t, off_t) = dlsym(RTLD_NEXT, name);
    ssize_t allowed = admitted(concerns_fd(fd), size);
    return allowed < 0 ? -1 : real(fd, bytes, allowed, offset);
}

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t offset) {
    return write_at("pwrite", fd, bytes, size, offset);
}

ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t offset) {
    return write_at("pwrite64", fd, bytes, size, offset);
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
    ssize_t (*real)(int, const struct iovec *, int) = dlsym(RTLD_NEXT, "writev");
    ssize_t allowed = admitted(concerns_fd(fd), 1);
    return allowed < 0 ? -1 : real(fd, parts, count);
}

// Inside the C library, buffered files do not call `write` where it could be replaced.
size_t fwrite(const void *bytes, size_t size, size_t count, FILE *file) {
    size_t (*real)(const void *, size_t, size_t, FILE *) = dlsym(RTLD_NEXT, "fwrite");
    int fd = fileno(file);
    ssize_t allowed = admitted(fd >= 0 && concerns_fd(fd), count);
    return allowed < 0 ? 0 : real(bytes, size, allowed, file);
}

static int sync_with(const char *name, int fd) {
    int (*real)(int) = dlsym(RTLD_NEXT, name);
    if (is("fsync") && concerns_fd(fd) && due(false)) return errno = EIO, -1;
    return real(fd);
}

int fsync(int fd) {
    return sync_with("fsync", fd);
}

int fdatasync(int fd) {
    return sync_with("fdatasync", fd);
}

int rename(const char *from, const char *to) {
    int (*real)(const char *, const char *) = dlsym(RTLD_NEXT, "rename");
    const char *end = setting("CASETRACK_FAULT_PATH");
    size_t length = strlen(from), tail = end ? strlen(end) : 0;
    if (is("die-rename") && end && length >= tail && strcmp(from + length - tail, end) == 0 && due(false)) return die();
    if (is("rename") && concerns(to) && due(false)) return errno = EIO, -1;
    return real(from, to);
}
