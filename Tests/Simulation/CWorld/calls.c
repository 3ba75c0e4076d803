// The calls that change files and names. Each is counted, may be the last one of a life, and may fail.

#include "real.h"
#include "disk.h"
#include "guard.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

char disk_folder[512];
static unsigned lies;
static uint64_t calls, stop_at, fail_at, fail_count;
static void (*reached)(const char *call);
static int failure;

void world_disk_begin(const char *folder) {
    inodes_forget();
    names_forget();
    snprintf(disk_folder, sizeof disk_folder, "%s", folder);
    stop_at = fail_at = 0;
    lies = 0;
}

void world_disk_lie(unsigned kinds) { lies = kinds; }

uint64_t world_disk_calls(void) { return calls; }

void world_disk_stop_at(uint64_t call, void (*new_reached)(const char *call)) {
    stop_at = call == 0 ? 0 : calls + call;
    reached = new_reached;
}

void world_disk_fail_at(uint64_t call, uint64_t count, int code) {
    fail_at = call == 0 ? 0 : calls + call;
    fail_count = count;
    failure = code;
}

/// Counts a call. Says whether it fails; errno says how.
static bool fails(const char *call) {
    calls++;
    if (calls == stop_at) reached(call);
    if (fail_at == 0 || calls < fail_at || calls - fail_at >= fail_count) return false;
    errno = failure;
    return true;
}

// MARK: Content

#define CHANGES_CONTENT(call, file, offset, length)        \
    /* What is not watched may be a pipe, which a call waits for. */ \
    struct inode *inode = inode_behind(file);              \
    ALONE_IF(inode != NULL)                                \
    if (inode != NULL) {                                   \
        if (fails(call)) return -1;                        \
        inode_changes(inode, (int64_t)(offset), (int64_t)(length)); \
    }

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
    CHANGES_CONTENT("pwrite", file, offset, count)
    return REAL(pwrite)(file, bytes, count, offset);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) {
    CHANGES_CONTENT("pwrite", file, offset, count)
    return REAL(pwrite64)(file, bytes, count, offset);
}

ssize_t write(int file, const void *bytes, size_t count) {
    CHANGES_CONTENT("write", file, lseek(file, 0, SEEK_CUR), count)
    return REAL(write)(file, bytes, count);
}

static int truncates(int file, int64_t length) {
    struct stat status;
    struct inode *inode = inode_behind(file);
    if (inode == NULL) return 0;
    if (fails("ftruncate")) return -1;
    if (fstat(file, &status) == 0 && status.st_size > length) inode_changes(inode, length, status.st_size - length);
    return 0;
}

int ftruncate(int file, off_t length) {
    ALONE
    return truncates(file, length) == 0 ? REAL(ftruncate)(file, length) : -1;
}

int ftruncate64(int file, off64_t length) {
    ALONE
    return truncates(file, length) == 0 ? REAL(ftruncate64)(file, length) : -1;
}

/// Allocates space by CALL, which changes no content.
#define ALLOCATES(file, CALL)                              \
    ALONE                                                  \
    return inode_behind(file) != NULL && fails("fallocate") ? -1 : (CALL);

int fallocate(int file, int mode, off_t offset, off_t length) {
    ALLOCATES(file, REAL(fallocate)(file, mode, offset, length))
}

int fallocate64(int file, int mode, off64_t offset, off64_t length) {
    ALLOCATES(file, REAL(fallocate64)(file, mode, offset, length))
}

static int allocates(int file, int64_t offset, int64_t length) {
    ALLOCATES(file, REAL(posix_fallocate64)(file, offset, length))
}

/// It returns the error.
int posix_fallocate(int file, off_t offset, off_t length) {
    int result = allocates(file, offset, length);
    return result < 0 ? errno : result;
}

int posix_fallocate64(int file, off64_t offset, off64_t length) { return posix_fallocate(file, offset, length); }

bool disk_lies(const struct inode *inode) { return (lies & inode->kind) != 0; }

int disk_flush(struct inode *inode) {
    ALONE
    if (fails(inode->kind == WORLD_FOLDER ? "fsync of a folder" : "fsync")) return -1;
    if (disk_lies(inode)) return 0;
    inode_flushed(inode);
    names_flushed(inode);
    return 0;
}

#ifndef WORLD_THREADS

// A memory file system has nothing to flush.
static int flush(int file) {
    struct inode *inode = inode_behind(file);
    return inode == NULL ? 0 : disk_flush(inode);
}

int fsync(int file) { return flush(file); }

int fdatasync(int file) { return flush(file); }

#endif

// MARK: Names

/// A place in a folder, below the watched one.
struct place {
    ino_t folder;
    /// Zero if there is nothing.
    ino_t inode;
    char name[256];
};

/// Says whether a name is below the watched folder.
static bool find(int folder, const char *name, struct place *place) {
    char path[1024], link[64], parent[1024];
    struct stat status;
    if (disk_folder[0] == 0) return false;
    if (name[0] == '/') {
        snprintf(path, sizeof path, "%s", name);
    } else {
        if (folder == AT_FDCWD || inode_behind(folder) == NULL) return false;
        snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
        ssize_t length = readlink(link, path, sizeof path - 300);
        if (length < 0) return false;
        snprintf(path + length, sizeof path - (size_t)length, "/%s", name);
    }
    if (strncmp(path, disk_folder, strlen(disk_folder)) != 0) return false;
    char *slash = strrchr(path, '/');
    snprintf(parent, sizeof parent, "%.*s", (int)(slash - path), path);
    if (stat(parent, &status) != 0) return false;
    place->folder = status.st_ino;
    snprintf(place->name, sizeof place->name, "%s", slash + 1);
    place->inode = lstat(path, &status) == 0 ? status.st_ino : 0;
    // It may be about to lose its last name, and be there again after the cut.
    if (place->inode != 0) inode_found(path, &status);
    return true;
}

/// Opens by CALL, and notes what was opened.
#define OPENS(AT, NAME, FLAGS, CALL)                                                  \
    ALONE                                                                             \
    struct place place;                                                               \
    bool is_watched = ((FLAGS) & O_CREAT) != 0 && find(AT, NAME, &place);             \
    if (is_watched && place.inode == 0 && fails("create")) return -1;                 \
    int file = (int)(CALL);                                                           \
    if (file >= 0) {                                                                  \
        bool is_new = is_watched && place.inode == 0;                                 \
        struct inode *inode = inode_opened(file, is_new);                             \
        if (is_new && inode != NULL) name_changed(place.folder, place.name, 0, inode->number); \
    }                                                                                 \
    return file;

#define MODE(flags, mode)                        \
    mode_t mode = 0;                             \
    if (((flags) & (O_CREAT | O_TMPFILE)) != 0) { \
        va_list list;                            \
        va_start(list, flags);                   \
        mode = va_arg(list, mode_t);             \
        va_end(list);                            \
    }

#ifdef WORLD_THREADS
#define OPENS_RANDOM_NUMBERS(NAME)
#else
#define OPENS_RANDOM_NUMBERS(NAME) \
    if (strcmp(NAME, "/dev/urandom") == 0) return random_file();
#endif

int open(const char *name, int flags, ...) {
    MODE(flags, mode)
    OPENS_RANDOM_NUMBERS(name)
    OPENS(AT_FDCWD, name, flags, REAL(open)(name, flags, mode))
}

int open64(const char *name, int flags, ...) {
    MODE(flags, mode)
    OPENS_RANDOM_NUMBERS(name)
    OPENS(AT_FDCWD, name, flags, REAL(open64)(name, flags, mode))
}

int openat(int folder, const char *name, int flags, ...) {
    MODE(flags, mode)
    OPENS(folder, name, flags, REAL(openat)(folder, name, flags, mode))
}

int openat64(int folder, const char *name, int flags, ...) {
    MODE(flags, mode)
    OPENS(folder, name, flags, REAL(openat64)(folder, name, flags, mode))
}

int close(int file) {
    ALONE_IF(inode_behind(file) != NULL)
    inode_closed(file);
    return REAL(close)(file);
}

/// Notes the change of one name that CALL makes. IS_MADE says whether there is something of that name then.
#define CHANGES_NAME(TITLE, AT, NAME, IS_MADE, CALL)                                  \
    ALONE                                                                             \
    struct place place;                                                               \
    bool is_watched = find(AT, NAME, &place);                                         \
    if (is_watched && fails(TITLE)) return -1;                                        \
    int result = (int)(CALL);                                                         \
    if (result == 0 && is_watched) {                                                  \
        ino_t before = place.inode;                                                   \
        if (IS_MADE) find(AT, NAME, &place);                                          \
        name_changed(place.folder, place.name, before, (IS_MADE) ? place.inode : 0);  \
    }                                                                                 \
    return result;

int unlink(const char *name) { CHANGES_NAME("unlink", AT_FDCWD, name, false, REAL(unlink)(name)) }

int unlinkat(int folder, const char *name, int flags) {
    CHANGES_NAME("unlink", folder, name, false, REAL(unlinkat)(folder, name, flags))
}

int rmdir(const char *name) { CHANGES_NAME("rmdir", AT_FDCWD, name, false, REAL(rmdir)(name)) }

int mkdir(const char *name, mode_t mode) { CHANGES_NAME("mkdir", AT_FDCWD, name, true, REAL(mkdir)(name, mode)) }

int mkdirat(int folder, const char *name, mode_t mode) {
    CHANGES_NAME("mkdir", folder, name, true, REAL(mkdirat)(folder, name, mode))
}

int link(const char *name, const char *new_name) {
    CHANGES_NAME("link", AT_FDCWD, new_name, true, REAL(link)(name, new_name))
}

int linkat(int from, const char *name, int to, const char *new_name, int flags) {
    CHANGES_NAME("link", to, new_name, true, REAL(linkat)(from, name, to, new_name, flags))
}

static long renames(int from, const char *name, int to, const char *new_name, unsigned flags) {
    struct place old, new;
    ALONE
    bool is_watched = find(from, name, &old) && find(to, new_name, &new);
    if (is_watched && fails("rename")) return -1;
    long result = REAL(syscall)(SYS_renameat2, from, name, to, new_name, flags);
    if (result == 0 && is_watched) {
        name_changed(new.folder, new.name, new.inode, old.inode);
        name_changed(old.folder, old.name, old.inode, 0);
    }
    return result;
}

int rename(const char *from, const char *to) { return (int)renames(AT_FDCWD, from, AT_FDCWD, to, 0); }

int renameat(int from, const char *name, int to, const char *new_name) {
    return (int)renames(from, name, to, new_name, 0);
}

int renameat2(int from, const char *name, int to, const char *new_name, unsigned flags) {
    return (int)renames(from, name, to, new_name, flags);
}

// MARK: Calls without a function of their own; six words are what any call takes

static long allocate_by_words(const long words[6]) {
    ALLOCATES((int)words[0], REAL(syscall)(SYS_fallocate, words[0], words[1], words[2], words[3]))
}

static long open_by_how(long words[6]) {
    const struct open_how *how = (const struct open_how *)words[2];
    OPENS((int)words[0], (const char *)words[1], how->flags,
          REAL(syscall)(SYS_openat2, words[0], words[1], words[2], words[3]))
}

long syscall(long number, ...) {
    long words[6];
    va_list list;
    va_start(list, number);
    for (int i = 0; i < 6; i++) words[i] = va_arg(list, long);
    va_end(list);
    switch (number) {
    case SYS_openat2: return open_by_how(words);
    case SYS_renameat2:
        return renames((int)words[0], (const char *)words[1], (int)words[2], (const char *)words[3],
                       (unsigned)words[4]);
    case SYS_fallocate: return allocate_by_words(words);
#ifndef WORLD_THREADS
    case SYS_getrandom: {
        extern int getentropy(void *, size_t);
        getentropy((void *)words[0], (size_t)words[1]);
        return words[1];
    }
#endif
    default: break;
    }
    return REAL(syscall)(number, words[0], words[1], words[2], words[3], words[4], words[5]);
}
