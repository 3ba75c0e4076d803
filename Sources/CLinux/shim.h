#ifndef CLINUX_SHIM_H
#define CLINUX_SHIM_H

#include <malloc.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

// Swift cannot call variadic functions, so syscall() and prctl() need a wrapper for each use.
// The calls below are either missing from glibc (openat2, getdents64 before 2.30) or hidden behind
// _GNU_SOURCE, which a Swift import does not define. Each answers -1 and sets errno, as syscall(2) does.

// Hidden behind _GNU_SOURCE; the values are those of the kernel's ABI (linux/fs.h, linux/fcntl.h).
enum {
    SHIM_O_PATH = 010000000,
    SHIM_RENAME_NOREPLACE = 1 << 0,
    SHIM_FALLOC_FL_KEEP_SIZE = 1 << 0,
    SHIM_SYNC_FILE_RANGE_WRITE = 1 << 1,
};

static inline int shim_openat2(int directory, const char *_Nonnull path, int flags, unsigned int mode,
                               unsigned long long resolve) {
    struct open_how how = {.flags = (unsigned int)flags, .mode = mode, .resolve = resolve};
    return (int)syscall(SYS_openat2, directory, path, &how, sizeof how);
}

static inline int shim_renameat2(int from, const char *_Nonnull name, int to, const char *_Nonnull new_name,
                                 unsigned int flags) {
    return (int)syscall(SYS_renameat2, from, name, to, new_name, flags);
}

static inline long shim_getdents64(int directory, void *_Nonnull buffer, size_t size) {
    return syscall(SYS_getdents64, directory, buffer, size);
}

static inline int shim_fallocate(int file, int mode, off_t offset, off_t length) {
    return (int)syscall(SYS_fallocate, file, mode, offset, length);
}

static inline int shim_sync_file_range(int file, off_t offset, off_t length, unsigned int flags) {
    return (int)syscall(SYS_sync_file_range, file, offset, length, flags);
}

static inline int shim_set_dumpable(unsigned long dumpable) {
    return prctl(PR_SET_DUMPABLE, dumpable, 0UL, 0UL, 0UL);
}

static inline int shim_get_dumpable(void) {
    return prctl(PR_GET_DUMPABLE, 0UL, 0UL, 0UL, 0UL);
}

static inline int shim_set_thread_name(const char *_Nonnull name) {
    return prctl(PR_SET_NAME, name, 0UL, 0UL, 0UL);
}

// The type of `resource` depends on _GNU_SOURCE; a plain int does not.
enum {
    SHIM_RLIMIT_CORE = RLIMIT_CORE,
    SHIM_RLIMIT_FSIZE = RLIMIT_FSIZE,
    SHIM_RLIMIT_NOFILE = RLIMIT_NOFILE,
};

static inline int shim_getrlimit(int resource, struct rlimit *_Nonnull limit) {
    return getrlimit((__rlimit_resource_t)resource, limit);
}

static inline int shim_setrlimit(int resource, const struct rlimit *_Nonnull limit) {
    return setrlimit((__rlimit_resource_t)resource, limit);
}

#endif
