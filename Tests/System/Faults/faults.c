// Loaded before the C library (LD_PRELOAD, ld.so(8)), it makes system calls on files fail as a test wants.
//
// While the folder that FAULTS_FOLDER names holds a file called as a fault is (sync, pwrite, pread, allocate, truncate,
// create, mkdir, link, unlink, rename, socket, connect), that call fails on each file whose path has a text in it. The
// file's words: the error's number, the number of the call that is to fail or "always", and the text, or several with "|"
// between them; a text with "$" at its end is the end of the path. Calls are counted from when the file is there. A
// fault that comes at one call takes its file away; one that always comes leaves a file "<fault>.hit" beside it. An
// error of 0 holds the call up until the file is gone.
//
// FAULT_AT, where it is set, is the number of one call among all of them on files whose path has FAULT_PATH in it, those
// that open a file to read it among them. Where FAULT_KIND is set too, only calls of that kind count. They are counted
// while FAULTS_FOLDER has a file "armed". What happens at that call, FAULT_KILL says: the process is killed "before"
// it is made, "after" it was, or "halfway", with the first half of its bytes written. Without FAULT_KILL the call fails
// with the error of FAULT_CODE. The folder gets a file "at.hit" then. Calls that read count only where FAULT_READS is set.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

// How many calls of a kind there were, this one among them.
static int number_of_call(const char *fault) {
    static const char *const kinds[] = {"sync",   "pwrite", "pread",  "allocate", "truncate", "create",
                                        "mkdir",  "link",   "unlink", "rename",   "socket",   "connect"};
    static atomic_int counts[sizeof kinds / sizeof *kinds];
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i], fault) == 0) return atomic_fetch_add(&counts[i], 1) + 1;
    return 0;
}

static int path_of(int file, const char *name, char *path, size_t size) {
    char link[64];
    ssize_t length = 0;
    path[0] = 0;
    if (name != NULL && name[0] == '/') {
        snprintf(path, size, "%s", name);
        return 1;
    }
    if (file == AT_FDCWD) {
        length = getcwd(path, size - 512) == NULL ? -1 : (ssize_t)strlen(path);
    } else {
        snprintf(link, sizeof link, "/proc/self/fd/%d", file);
        length = readlink(link, path, size - 512);
    }
    if (length < 0) return 0;
    path[length] = 0;
    if (name != NULL) {
        strcat(path, "/");
        strncat(path, name, 500);
    }
    return 1;
}

// What is to happen to the call that this thread is about to make.
static _Thread_local int dies_after, writes_half;

static void die(void) { kill(getpid(), SIGKILL); }

// Called with what a call has returned.
static long made(long result) {
    if (dies_after) die();
    return result;
}

// How many bytes of a write are written.
static size_t share(size_t count) { return writes_half ? count / 2 : count; }

static int is_armed(const char *folder) {
    char path[4096];
    snprintf(path, sizeof path, "%s/armed", folder);
    return access(path, F_OK) == 0;
}

// Whether a call counts for FAULT_AT.
static int counts(const char *folder, const char *fault, int file, const char *name) {
    const char *text = getenv("FAULT_PATH"), *kind = getenv("FAULT_KIND");
    char path[4096];
    if (text == NULL || !is_armed(folder)) return 0;
    if (kind != NULL && strcmp(kind, fault) != 0) return 0;
    if (strcmp(fault, "pread") == 0 && getenv("FAULT_READS") == NULL) return 0;
    // What has no path under the folder is a socket, a pipe or the log.
    return path_of(file, name, path, sizeof path) && strstr(path, text) != NULL;
}

// Whether a call is the one of FAULT_AT, and fails; errno says how.
static int is_the_one(const char *fault, int file, const char *name) {
    static atomic_int count;
    int saved = errno;
    const char *at = getenv("FAULT_AT"), *end = getenv("FAULT_KILL"), *code = getenv("FAULT_CODE");
    const char *folder = getenv("FAULTS_FOLDER");
    char path[4096];
    if (at == NULL || folder == NULL || !counts(folder, fault, file, name) ||
        atomic_fetch_add(&count, 1) + 1 != atoi(at)) {
        errno = saved;
        return 0;
    }
    snprintf(path, sizeof path, "%s/at.hit", folder);
    int hit = (int)NEXT(syscall)(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (hit >= 0) close(hit);
    if (end == NULL) {
        errno = code == NULL ? EIO : atoi(code);
        return 1;
    }
    writes_half = strcmp(end, "halfway") == 0 && strcmp(fault, "pwrite") == 0;
    dies_after = writes_half || strcmp(end, "after") == 0;
    if (!dies_after) die();
    errno = saved;
    return 0;
}

// Whether a path has a word of an order in it, or ends with it if the word ends with "$".
static int matches(const char *path, const char *word) {
    size_t path_length = strlen(path), length = strlen(word);
    if (length == 0 || word[length - 1] != '$') return strstr(path, word) != NULL;
    length--;
    return path_length >= length && strncmp(path + path_length - length, word, length) == 0;
}

// Whether a call is to fail; errno says how.
static int fails(const char *fault, int file, const char *name) {
    int saved = errno;
    const char *folder = getenv("FAULTS_FOLDER");
    char order[4096], hit[4096], path[4096], words[512], when[16], text[256];
    int number, is_meant = 0, result = 0;
    if (folder == NULL) return 0;
    // A socket that is yet to be made has no descriptor.
    if (file != -1 && is_the_one(fault, file, name)) return 1;
    snprintf(order, sizeof order, "%s/%s", folder, fault);
    // By the calls themselves, since open() is one of those below.
    int descriptor = (int)NEXT(syscall)(SYS_openat, AT_FDCWD, order, O_RDONLY | O_CLOEXEC, 0);
    if (descriptor < 0) goto end;
    ssize_t count = read(descriptor, words, sizeof words - 1);
    close(descriptor);
    if (count <= 0) goto end;
    words[count] = 0;
    if (sscanf(words, "%d %15s %255s", &number, when, text) != 3) goto end;
    if (file == -1)
        snprintf(path, sizeof path, "socket:");
    else if (!path_of(file, name, path, sizeof path))
        goto end;
    for (char *rest = text; !is_meant;) {
        char *word = strsep(&rest, "|");
        if (word == NULL) goto end;
        is_meant = matches(path, word);
    }
    if (strcmp(when, "always") != 0) {
        result = number_of_call(fault) == atoi(when) && NEXT(unlink)(order) == 0;
    } else {
        snprintf(hit, sizeof hit, "%s/%s.hit", folder, fault);
        descriptor = (int)NEXT(syscall)(SYS_openat, AT_FDCWD, hit, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        if (descriptor >= 0) close(descriptor);
        if (number == 0) {
            while (access(order, F_OK) == 0) usleep(5000);
            goto end;
        }
        result = 1;
    }
end:
    errno = result ? number : saved;
    return result;
}

int fdatasync(int file) { return fails("sync", file, NULL) ? -1 : made(NEXT(fdatasync)(file)); }

int fsync(int file) { return fails("sync", file, NULL) ? -1 : made(NEXT(fsync)(file)); }

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
    return fails("pwrite", file, NULL) ? -1 : made(NEXT(pwrite)(file, bytes, share(count), offset));
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) {
    return fails("pwrite", file, NULL) ? -1 : made(NEXT(pwrite64)(file, bytes, share(count), offset));
}

// SQLite seeks and writes, unless it was built otherwise.
ssize_t write(int file, const void *bytes, size_t count) {
    return fails("pwrite", file, NULL) ? -1 : made(NEXT(write)(file, bytes, share(count)));
}

ssize_t pread(int file, void *bytes, size_t count, off_t offset) {
    return fails("pread", file, NULL) ? -1 : made(NEXT(pread)(file, bytes, count, offset));
}

ssize_t pread64(int file, void *bytes, size_t count, off64_t offset) {
    return fails("pread", file, NULL) ? -1 : made(NEXT(pread64)(file, bytes, count, offset));
}

int ftruncate(int file, off_t length) {
    return fails("truncate", file, NULL) ? -1 : made(NEXT(ftruncate)(file, length));
}

int ftruncate64(int file, off64_t length) {
    return fails("truncate", file, NULL) ? -1 : made(NEXT(ftruncate64)(file, length));
}

int fallocate(int file, int mode, off_t offset, off_t length) {
    return fails("allocate", file, NULL) ? -1 : made(NEXT(fallocate)(file, mode, offset, length));
}

// A call that opens what is there counts for FAULT_AT alone.
static int fails_to_open(int folder, const char *name, int flags) {
    if (flags & O_CREAT) return fails("create", folder, name);
    return is_the_one("open", folder, name);
}

#define MODE(flags, mode)                                        \
    mode_t mode = 0;                                             \
    if (flags & (O_CREAT | O_TMPFILE)) {                         \
        va_list list;                                            \
        va_start(list, flags);                                   \
        mode = va_arg(list, mode_t);                             \
        va_end(list);                                            \
    }

int openat(int folder, const char *name, int flags, ...) {
    MODE(flags, mode)
    return fails_to_open(folder, name, flags) ? -1 : made(NEXT(openat)(folder, name, flags, mode));
}

int openat64(int folder, const char *name, int flags, ...) {
    MODE(flags, mode)
    return fails_to_open(folder, name, flags) ? -1 : made(NEXT(openat64)(folder, name, flags, mode));
}

int open(const char *name, int flags, ...) {
    MODE(flags, mode)
    return fails_to_open(AT_FDCWD, name, flags) ? -1 : made(NEXT(open)(name, flags, mode));
}

int open64(const char *name, int flags, ...) {
    MODE(flags, mode)
    return fails_to_open(AT_FDCWD, name, flags) ? -1 : made(NEXT(open64)(name, flags, mode));
}

int unlink(const char *name) { return fails("unlink", AT_FDCWD, name) ? -1 : made(NEXT(unlink)(name)); }

int rename(const char *from, const char *to) {
    return fails("rename", AT_FDCWD, to) ? -1 : made(NEXT(rename)(from, to));
}

int mkdir(const char *name, mode_t mode) {
    return fails("mkdir", AT_FDCWD, name) ? -1 : made(NEXT(mkdir)(name, mode));
}

int fallocate64(int file, int mode, off64_t offset, off64_t length) {
    return fails("allocate", file, NULL) ? -1 : made(NEXT(fallocate64)(file, mode, offset, length));
}

int posix_fallocate(int file, off_t offset, off_t length) {
    return fails("allocate", file, NULL) ? errno : made(NEXT(posix_fallocate)(file, offset, length));
}

int mkdirat(int folder, const char *name, mode_t mode) {
    return fails("mkdir", folder, name) ? -1 : made(NEXT(mkdirat)(folder, name, mode));
}

int linkat(int from, const char *name, int to, const char *new_name, int flags) {
    return fails("link", to, new_name) ? -1 : made(NEXT(linkat)(from, name, to, new_name, flags));
}

int unlinkat(int folder, const char *name, int flags) {
    return fails("unlink", folder, name) ? -1 : made(NEXT(unlinkat)(folder, name, flags));
}

int socket(int domain, int type, int protocol) {
    return fails("socket", -1, NULL) ? -1 : made(NEXT(socket)(domain, type, protocol));
}

int connect(int file, const struct sockaddr *address, socklen_t length) {
    return fails("connect", file, NULL) ? -1 : made(NEXT(connect)(file, address, length));
}

// What the C library has no function for goes through this one; six words are what any call takes.
long syscall(long number, ...) {
    long words[6];
    va_list list;
    va_start(list, number);
    for (int i = 0; i < 6; i++) words[i] = va_arg(list, long);
    va_end(list);
    if (number == SYS_fallocate && fails("allocate", (int)words[0], NULL)) return -1;
    if (number == SYS_openat2 &&
        fails_to_open((int)words[0], (const char *)words[1], (int)((const struct open_how *)words[2])->flags))
        return -1;
    if (number == SYS_renameat2 && fails("rename", (int)words[2], (const char *)words[3])) return -1;
    return made(NEXT(syscall)(number, words[0], words[1], words[2], words[3], words[4], words[5]));
}
