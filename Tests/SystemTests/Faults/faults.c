// Loaded before the C library (LD_PRELOAD, ld.so(8)), it makes system calls on files fail as a test wants.
//
// While the folder that FAULTS_FOLDER names holds a file called as a fault is (sync, pwrite, pread, rename, socket,
// connect), that call fails on each file whose path has a text in it. The file's words: the error's number, "once" or
// "always", the text. A fault that comes once takes its file away; one that always comes leaves a file "<fault>.hit"
// beside it.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

// Whether a call is to fail; errno says how.
static int fails(const char *fault, int file, const char *name) {
    int saved = errno;
    const char *folder = getenv("FAULTS_FOLDER");
    char order[4096], hit[4096], link[64], path[4096], words[512], when[16], text[256];
    int number, result = 0;
    if (folder == NULL) return 0;
    snprintf(order, sizeof order, "%s/%s", folder, fault);
    int descriptor = open(order, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) goto end;
    ssize_t count = read(descriptor, words, sizeof words - 1);
    close(descriptor);
    if (count <= 0) goto end;
    words[count] = 0;
    if (sscanf(words, "%d %15s %255s", &number, when, text) != 3) goto end;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    // A socket that is yet to be made has no descriptor.
    ssize_t length = file < 0 ? snprintf(path, sizeof path, "socket:") : readlink(link, path, sizeof path - 512);
    if (length < 0) goto end;
    path[length] = 0;
    if (name != NULL) {
        strcat(path, "/");
        strncat(path, name, 500);
    }
    if (strstr(path, text) == NULL) goto end;
    if (strcmp(when, "once") == 0) {
        // Of several threads one has it.
        result = unlink(order) == 0;
    } else {
        snprintf(hit, sizeof hit, "%s/%s.hit", folder, fault);
        descriptor = open(hit, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        if (descriptor >= 0) close(descriptor);
        result = 1;
    }
end:
    errno = result ? number : saved;
    return result;
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

int fdatasync(int file) { return fails("sync", file, NULL) ? -1 : NEXT(fdatasync)(file); }

int fsync(int file) { return fails("sync", file, NULL) ? -1 : NEXT(fsync)(file); }

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
    return fails("pwrite", file, NULL) ? -1 : NEXT(pwrite)(file, bytes, count, offset);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) {
    return fails("pwrite", file, NULL) ? -1 : NEXT(pwrite64)(file, bytes, count, offset);
}

ssize_t pread(int file, void *bytes, size_t count, off_t offset) {
    return fails("pread", file, NULL) ? -1 : NEXT(pread)(file, bytes, count, offset);
}

ssize_t pread64(int file, void *bytes, size_t count, off64_t offset) {
    return fails("pread", file, NULL) ? -1 : NEXT(pread64)(file, bytes, count, offset);
}

int socket(int domain, int type, int protocol) {
    return fails("socket", -1, NULL) ? -1 : NEXT(socket)(domain, type, protocol);
}

int connect(int file, const struct sockaddr *address, socklen_t length) {
    return fails("connect", file, NULL) ? -1 : NEXT(connect)(file, address, length);
}

// What the C library has no function for goes through this one; six words are what any call takes.
long syscall(long number, ...) {
    long words[6];
    va_list list;
    va_start(list, number);
    for (int i = 0; i < 6; i++) words[i] = va_arg(list, long);
    va_end(list);
    if (number == SYS_renameat2 && fails("rename", (int)words[2], (const char *)words[3])) return -1;
    return NEXT(syscall)(number, words[0], words[1], words[2], words[3], words[4], words[5]);
}
